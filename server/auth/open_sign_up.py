"""Sign-ups without an invitation, for which a client works: it solves a challenge, as of hashcash.

A challenge is ``ends.difficulty.id.signature``: when it ends, in seconds since 1970; how many zero bits are wanted; 128
random bits, and the HMAC-SHA256 of these by a secret of the store, all in ASCII. It is solved by a number whose
``sha256(challenge.number)`` begins with so many zero bits, which takes 2^difficulty tries. Nothing is kept of a
challenge until it is solved; then its id is kept for longer than it is valid, so that each is good for one key.

Source: Back 2002, Hashcash - A Denial of Service Counter-Measure.
"""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import cypher
from papergraph.database import Database
from papergraph.errors import ConflictError, InputError
from papergraph.neo4j_errors import Transaction
from papergraph.settings.groups import OpenSignUpSettings
from server.auth import keys
from server.auth.keys import Key, NewKey
from server.auth.principal import KeyScope

CHALLENGE = re.compile(r"([0-9]{1,12})\.([0-9]{1,2})\.([0-9a-f]{32})\.([0-9a-f]{64})", re.ASCII)
SOLUTION = re.compile(r"[0-9]{1,16}", re.ASCII)
VALID_S = 600
"""How long a challenge can be solved: a slow telephone takes some seconds for 2^18 tries."""

COUNTED = timedelta(days=1)
SCOPES = (KeyScope.READ, KeyScope.ASK)
OPEN = "open"


@dataclass(frozen=True)
class Challenge:
    """What a client solves before it signs up: the ``text``, its ``difficulty`` in bits, and when it ends."""

    text: str
    difficulty: int
    expires_at: datetime


class Challenges:
    """Challenges of a store; its secret is read once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._secret = ""

    async def new(self, difficulty: int) -> Challenge:
        """Return a challenge.

        Raises:
            DatabaseError: The secret could not be read.
        """
        expires_at = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=VALID_S)
        body = f"{int(expires_at.timestamp())}.{difficulty}.{secrets.token_hex(16)}"
        return Challenge(f"{body}.{_signature(await self.secret(), body)}", difficulty, expires_at)

    async def check(self, challenge: str, solution: str) -> str:
        """Return the id of a challenge that is solved.

        Raises:
            InputError: It is none of ours, is over, or is not solved.
            DatabaseError: The secret could not be read.
        """
        parts = CHALLENGE.fullmatch(challenge)
        body = challenge.rpartition(".")[0]
        if parts is None or not hmac.compare_digest(parts[4], _signature(await self.secret(), body)):
            raise InputError("This is no challenge of this server. Get one: GET /v1/sign-up.", field="challenge")
        if int(parts[1]) <= datetime.now(UTC).timestamp():
            raise InputError("The challenge is over. Get another one: GET /v1/sign-up.", field="challenge")
        if SOLUTION.fullmatch(solution) is None or zero_bits(f"{challenge}.{solution}") < int(parts[2]):
            raise InputError("The solution does not solve the challenge.", field="solution")
        return parts[3]

    async def secret(self) -> str:
        """Return what challenges are signed with.

        Raises:
            DatabaseError: It could not be read.
        """
        if not self._secret:
            statement = cypher.load("auth/sign_up_secret")
            (record,) = await self._database.run_alone(statement, secret=secrets.token_hex(32))
            self._secret = record["secret"]
        return self._secret


def zero_bits(text: str) -> int:
    """Return with how many zero bits the sha-256 of an ASCII text begins, 0 to 256."""
    return 256 - int.from_bytes(hashlib.sha256(text.encode()).digest()).bit_length()


def solve(challenge: str, difficulty: int) -> str:
    """Return the smallest solution of a challenge."""
    number = 0
    while zero_bits(f"{challenge}.{number}") < difficulty:
        number += 1
    return str(number)


async def sign_up_openly(
    database: Database, terms: OpenSignUpSettings, *, name: str, challenge_id: str, network: str, secret: str
) -> tuple[Key, str]:
    """Use a solved challenge for a new key; return it with its text, which nobody can find out again.

    Args:
        database: The store.
        terms: What such a key reaches, and how many there may be.
        name: What it is for, 1 to 100 characters.
        challenge_id: The challenge that was solved.
        network: Where the request comes from; a hash of it is kept for a day.
        secret: What challenges are signed with.

    Raises:
        InputError: The name is not acceptable.
        ConflictError: The challenge was used, or enough people signed up today or at all.
        DatabaseError: Neo4j failed.
    """
    now = datetime.now(UTC)
    hashed = _signature(secret, f"network {network}")
    properties = keys.checked_properties(name, SCOPES, terms.collections, timedelta(days=terms.key_days)) | {
        "signedUpBy": OPEN,
        "requestsPerMinute": terms.requests_per_minute,
        "costPerMinute": terms.cost_per_minute,
    }

    async def write(new: NewKey, transaction: Transaction) -> bool:
        await transaction.run(cypher.load("auth/hold_sign_ups"), secret=secret)
        (counted,) = await transaction.run(cypher.load("auth/count_sign_ups"), id=challenge_id, network=hashed, now=now)
        if counted["is_used"]:
            raise ConflictError("The challenge was used. Get another one: GET /v1/sign-up.", field="challenge")
        for n, most, what in (
            (counted["n_of_network"], terms.keys_per_address, "from your address today. Come back tomorrow."),
            (counted["n_of_all"], terms.keys_per_day, "today. Come back tomorrow."),
            (counted["n_keys"], terms.max_keys, "on this server. Ask its operator for a key."),
        ):
            if n >= most:
                raise ConflictError(f"{n} keys were signed up for {what}", field="name")
        if not await keys.write_key(transaction, new, properties):
            return False
        day = {"now": now, "expires_at": now + COUNTED}
        await transaction.run(cypher.load("auth/write_sign_up"), id=challenge_id, network=hashed, **day)
        return True

    return await keys.make_key(database, write)


def _signature(secret: str, text: str) -> str:
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()
