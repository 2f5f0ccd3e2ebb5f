// Invitations to sign up, sign-ups of the last day, and what challenges are signed with; limits of keys.
CREATE CONSTRAINT invitation_id IF NOT EXISTS FOR (n:Invitation) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT sign_up_id IF NOT EXISTS FOR (n:SignUp) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT sign_up_secret_id IF NOT EXISTS FOR (n:SignUpSecret) REQUIRE n.id IS UNIQUE;
CALL db.createProperty('requestsPerMinute');
CALL db.createProperty('costPerMinute');
CALL db.createProperty('signedUpBy');
CALL db.createProperty('keyTermS');
CALL db.createProperty('maxUses');
CALL db.createProperty('nUses');
CALL db.createProperty('network');
CALL db.createProperty('secret');
