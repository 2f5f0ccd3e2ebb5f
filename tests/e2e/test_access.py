"""Who is answered: every route and every field of GraphQL for every sort of key, over HTTP, on a real Neo4j."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import timedelta
from typing import Any

import httpx
import pytest
import pytest_asyncio
from neo4j import AsyncGraphDatabase
from pydantic.alias_generators import to_camel

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.app import create_app
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key, revoke_key
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.endpoints import endpoints
from papergraph.server.graphql.schema import FIELDS, schema
from papergraph.server.operations.service import Service
from papergraph.server.retrieval.pipelines import shipped
from papergraph.statement import Statement
from tests.support.servers import NOWHERE, bare_application
from tests.support.servers import routes as declared_routes
from tests.support.waiting import free_port

EXPIRE = Statement(
    "test/expire", "MATCH (key:ApiKey {id: $id}) SET key.expiresAt = datetime() - duration('PT1S') RETURN 1"
)
FORGET_KEYS = Statement("test/forget", "MATCH (key:ApiKey) DELETE key")
REQUIRED = ServerLimits(keys_required=True)
COUNT = {"query": "{ papers { totalCount } }"}
COST = 11

KEYS = ("none", "bad", "revoked", "expired", *KeyScope)
TABLE = """
                                        none  bad  revoked  expired  read  ask  ingest  cypher  admin
GET /                                    401  401      401      401   200  200     200     200    200
GET /index.html                          200  200      200      200   200  200     200     200    200
GET /search                              200  200      200      200   200  200     200     200    200
GET /ask                                 200  200      200      200   200  200     200     200    200
GET /papers                              200  200      200      200   200  200     200     200    200
GET /p/{id}                              200  200      200      200   200  200     200     200    200
GET /a/{id}                              200  200      200      200   200  200     200     200    200
GET /add                                 200  200      200      200   200  200     200     200    200
GET /jobs                                200  200      200      200   200  200     200     200    200
GET /collections                         200  200      200      200   200  200     200     200    200
GET /keys                                200  200      200      200   200  200     200     200    200
GET /map                                 200  200      200      200   200  200     200     200    200
GET /signup                              200  200      200      200   200  200     200     200    200
GET /graph                               200  200      200      200   200  200     200     200    200
GET /compare                             200  200      200      200   200  200     200     200    200
GET /draft                               200  200      200      200   200  200     200     200    200
GET /cypher                              200  200      200      200   200  200     200     200    200
GET /inbox                               200  200      200      200   200  200     200     200    200
GET /notes                               200  200      200      200   200  200     200     200    200
GET /tables                              200  200      200      200   200  200     200     200    200
GET /screening                           200  200      200      200   200  200     200     200    200
GET /zotero                              200  200      200      200   200  200     200     200    200
GET /review                              200  200      200      200   200  200     200     200    200
GET /api                                 200  200      200      200   200  200     200     200    200
GET /graphql.html                        200  200      200      200   200  200     200     200    200
GET /assets/{name:path}                  404  404      404      404   404  404     404     404    404
GET /healthz                             200  200      200      200   200  200     200     200    200
GET /readyz                              200  200      200      200   200  200     200     200    200
GET /metrics                             401  401      401      401   403  403     403     403    200
GET /graphql                             401  401      401      401   400  400     400     400    400
POST /graphql                            401  401      401      401   200  200     200     200    200
GET /openapi.json                        401  401      401      401   200  200     200     200    200
GET /v1/authors/{id}                     401  401      401      401   404  403     403     403    404
GET /v1/authors/{id}/papers              401  401      401      401   404  403     403     403    404
GET /v1/chunks/{id}                      401  401      401      401   404  403     403     403    404
GET /v1/chunks/{id}/references           401  401      401      401   404  403     403     403    404
GET /v1/chunks/{id}/clusters             401  401      401      401   404  403     403     403    404
GET /v1/chunks/{id}/entities             401  401      401      401   404  403     403     403    404
GET /v1/chunks/{id}/questions            401  401      401      401   404  403     403     403    404
GET /v1/chunks/{id}/similar              401  401      401      401   404  403     403     403    404
GET /v1/references/{id}                  401  401      401      401   404  403     403     403    404
GET /v1/references/{id}/chunks            401  401      401      401   404  403     403     403    404
GET /v1/clusters                         401  401      401      401   200  403     403     403    200
GET /v1/clusters/{id}                    401  401      401      401   404  403     403     403    404
GET /v1/clusters/{id}/children           401  401      401      401   404  403     403     403    404
GET /v1/clusters/{id}/chunks             401  401      401      401   404  403     403     403    404
GET /v1/clusters/{id}/papers             401  401      401      401   404  403     403     403    404
GET /v1/collections                      401  401      401      401   200  403     403     403    200
GET /v1/entities                         401  401      401      401   200  403     403     403    200
GET /v1/entities/{id}                    401  401      401      401   404  403     403     403    404
GET /v1/entities/{id}/mentions           401  401      401      401   404  403     403     403    404
GET /v1/entities/{id}/papers             401  401      401      401   404  403     403     403    404
GET /v1/entities/{id}/relations          401  401      401      401   404  403     403     403    404
GET /v1/entities/{id}/same-as            401  401      401      401   404  403     403     403    404
GET /v1/nodes                            401  401      401      401   400  403     403     403    400
GET /v1/nodes/{id}                       401  401      401      401   404  403     403     403    404
GET /v1/papers                           401  401      401      401   200  403     403     403    200
GET /v1/papers/by-key                    401  401      401      401   400  403     403     403    400
GET /v1/papers/{id}                      401  401      401      401   404  403     403     403    404
GET /v1/papers/{id}/chunks               401  401      401      401   404  403     403     403    404
GET /v1/papers/{id}/references           401  401      401      401   404  403     403     403    404
GET /v1/papers/{id}/cited-by             401  401      401      401   404  403     403     403    404
GET /v1/papers/{id}/cites                401  401      401      401   404  403     403     403    404
GET /v1/papers/{id}/clusters             401  401      401      401   404  403     403     403    404
GET /v1/papers/{id}/entities             401  401      401      401   404  403     403     403    404
GET /v1/papers/{id}/questions            401  401      401      401   404  403     403     403    404
GET /v1/papers/{id}/related              401  401      401      401   404  403     403     403    404
GET /v1/papers/{id}/sections             401  401      401      401   404  403     403     403    404
GET /v1/papers/facets                    401  401      401      401   400  403     403     403    400
GET /v1/chunks/{id}/regions              401  401      401      401   404  403     403     403    404
GET /v1/chunks/{id}/figure.png           401  401      401      401   404  403     403     403    404
GET /v1/map                              401  401      401      401   200  403     403     403    200
GET /v1/neighbourhood                    401  401      401      401   400  403     403     403    400
GET /v1/papers/{id}/pages/{n}.png        401  401      401      401   404  403     403     403    404
GET /v1/papers/{id}/text.md              401  401      401      401   404  403     403     403    404
GET /v1/papers/{id}/file                 401  401      401      401   404  403     403     403    404
GET /v1/papers/{id}/annotated.pdf        401  401      401      401   404  403     403     403    404
GET /v1/viewer                           401  401      401      401   200  200     200     200    200
GET /v1/server                           401  401      401      401   200  200     200     200    200
GET /v1/suggestions                      401  401      401      401   400  403     403     403    400
GET /v1/papers-with-status               401  401      401      401   200  403     403     403    200
GET /v1/inbox                            401  401      401      401   200  403     403     403    200
GET /v1/watches                          401  401      401      401   403  403     403     403    200
GET /v1/zotero/libraries                 401  401      401      401   403  403     403     403    404
GET /v1/zotero/changes                   401  401      401      401   403  403     403     403    404
GET /v1/zotero/incoming                  401  401      401      401   403  403     403     403    404
GET /v1/snowballs                        401  401      401      401   403  403     403     403    200
GET /v1/paper-versions                   401  401      401      401   400  403     403     403    400
GET /v1/broken-quotes                    401  401      401      401   403  403     200     403    200
GET /v1/feeds/{id}/{key}.atom            404  404      404      404   404  404     404     404    404
GET /v1/feeds/{id}/{key}.json            404  404      404      404   404  404     404     404    404
GET /v1/annotations                      401  401      401      401   200  403     403     403    200
GET /v1/annotations/export               401  401      401      401   200  403     403     403    200
GET /v1/tags                             401  401      401      401   200  403     403     403    200
GET /v1/stored-answers                   401  401      401      401   200  403     403     403    200
GET /v1/tables                           401  401      401      401   200  403     403     403    200
GET /v1/tables/columns                   401  401      401      401   400  403     403     403    400
GET /v1/tables/diff                      401  401      401      401   400  403     403     403    400
GET /v1/tables/rows                      401  401      401      401   400  403     403     403    400
GET /v1/tables/export                    401  401      401      401   400  403     403     403    400
GET /v1/screenings/status                401  401      401      401   400  403     403     403    400
GET /v1/screenings/records               401  401      401      401   400  403     403     403    400
GET /v1/screenings/duplicates            401  401      401      401   400  403     403     403    400
GET /v1/screenings/export                401  401      401      401   400  403     403     403    400
GET /v1/path                             401  401      401      401   400  403     403     403    400
GET /v1/pipelines                        401  401      401      401   200  403     403     403    200
GET /v1/pipelines/{name}                 401  401      401      401   200  403     403     403    200
GET /v1/questions                        401  401      401      401   200  403     403     403    200
GET /v1/questions/{id}                   401  401      401      401   404  403     403     403    404
GET /v1/questions/{id}/chunks            401  401      401      401   404  403     403     403    404
GET /v1/sections/{id}                    401  401      401      401   404  403     403     403    404
GET /v1/sections/{id}/chunks             401  401      401      401   404  403     403     403    404
GET /v1/models                           401  401      401      401   200  403     403     403    200
GET /v1/models/{id:path}                 401  401      401      401   404  403     403     403    404
POST /v1/chat/completions                401  401      401      401   403  400     403     403    400
POST /v1/responses                       401  401      401      401   403  400     403     403    400
POST /mcp                                401  401      401      401   400  400     400     400    400
POST /mcp/                               401  401      401      401   400  400     400     400    400
POST /v1/search                          401  401      401      401   400  403     403     403    400
POST /v1/ask                             401  401      401      401   403  400     403     403    400
GET /v1/answers/{id}                     401  401      401      401   400  403     403     403    400
PUT /v1/answers/{id}/rating              401  401      401      401   403  400     403     403    400
DELETE /v1/answers/{id}                  401  401      401      401   403  400     403     403    400
POST /v1/jobs/estimate                   401  401      401      401   403  403     400     403    400
POST /v1/drafts                          401  401      401      401   403  400     403     403    400
POST /v1/summaries                       401  401      401      401   403  400     403     403    400
POST /v1/cypher                          401  401      401      401   403  403     403     400    400
PUT /v1/collections/{name}/subject       401  401      401      401   403  403     400     403    400
DELETE /v1/papers/{id}                   401  401      401      401   403  403     404     403    404
PUT /v1/questions/{id}/review            401  401      401      401   403  403     400     403    400
GET /v1/jobs                             401  401      401      401   403  403     200     403    200
POST /v1/jobs                            401  401      401      401   403  403     400     403    400
GET /v1/jobs/{id}                        401  401      401      401   403  403     404     403    404
GET /v1/jobs/{id}/events                 401  401      401      401   403  403     404     403    404
GET /v1/jobs/{id}/progress               401  401      401      401   403  403     404     403    404
GET /v1/jobs/{id}/tasks                  401  401      401      401   403  403     404     403    404
POST /v1/jobs/{id}/cancel                401  401      401      401   403  403     404     403    404
POST /v1/jobs/{id}/retry                 401  401      401      401   403  403     404     403    404
GET /v1/enrichments                      401  401      401      401   200  403     403     403    200
GET /v1/enrichments/estimate             401  401      401      401   403  403     200     403    200
POST /v1/enrichments                     401  401      401      401   403  403     400     403    400
GET /v1/uploads                          401  401      401      401   403  403     404     403    404
POST /v1/uploads                         401  401      401      401   403  403     404     403    404
GET /v1/uploads/{id}                     401  401      401      401   403  403     404     403    404
DELETE /v1/uploads/{id}                  401  401      401      401   403  403     404     403    404
POST /v1/collections                     401  401      401      401   403  403     400     403    400
PATCH /v1/collections/{name}             401  401      401      401   403  403     404     403    404
GET /v1/collections/{name}/roles         401  401      401      401   403  403     403     403    404
PUT /v1/collections/{name}/roles/{key}   401  401      401      401   403  403     403     403    400
DELETE /v1/collections/{name}            401  401      401      401   403  403     404     403    404
GET /v1/papers/{id}/fields               401  401      401      401   404  403     403     403    404
GET /v1/papers/export                    401  401      401      401   400  403     403     403    400
PATCH /v1/papers/{id}                    401  401      401      401   403  403     400     403    400
POST /v1/papers/copy                     401  401      401      401   403  403     400     403    400
POST /v1/papers/reread                   401  401      401      401   403  403     400     403    400
POST /v1/papers/retractions              401  401      401      401   403  403     400     403    400
POST /v1/references/check                401  401      401      401   403  403     400     403    400
GET /v1/papers/pairs                     401  401      401      401   400  403     403     403    400
POST /v1/inbox                           401  401      401      401   403  403     400     403    400
POST /v1/tables                          401  401      401      401   403  403     400     403    400
PUT /v1/tables/columns                   401  401      401      401   403  403     400     403    400
POST /v1/tables/run                      401  401      401      401   403  403     400     403    400
POST /v1/tables/cells                    401  401      401      401   403  403     400     403    400
DELETE /v1/tables                        401  401      401      401   403  403     400     403    400
POST /v1/screenings                      401  401      401      401   403  403     400     403    400
POST /v1/screenings/import               401  401      401      401   403  403     400     403    400
POST /v1/screenings/decisions            401  401      401      401   403  403     400     403    400
POST /v1/screenings/duplicates           401  401      401      401   403  403     400     403    400
POST /v1/screenings/papers               401  401      401      401   403  403     400     403    400
DELETE /v1/screenings                    401  401      401      401   403  403     400     403    400
POST /v1/watches                         401  401      401      401   403  403     403     403    400
POST /v1/zotero/sync                     401  401      401      401   403  403     403     403    404
POST /v1/zotero/push                     401  401      401      401   403  403     403     403    404
POST /v1/zotero/undo                     401  401      401      401   403  403     403     403    400
POST /v1/watches/{id}/run                401  401      401      401   403  403     403     403    404
POST /v1/watches/{id}/pause              401  401      401      401   403  403     403     403    404
DELETE /v1/watches/{id}                  401  401      401      401   403  403     403     403    404
POST /v1/watches/{id}/feed               401  401      401      401   403  403     403     403    404
POST /v1/annotations                     401  401      401      401   403  400     403     403    400
PATCH /v1/annotations/{id}               401  401      401      401   403  404     403     403    404
DELETE /v1/annotations                   401  401      401      401   403  400     403     403    400
POST /v1/papers/{id}/different           401  401      401      401   403  403     400     403    400
POST /v1/papers/{id}/merge               401  401      401      401   403  403     400     403    400
POST /v1/papers/{id}/split               401  401      401      401   403  403     404     403    404
POST /v1/papers/{id}/undo                401  401      401      401   403  403     404     403    404
GET /v1/papers/{id}/corrections          401  401      401      401   403  403     404     403    404
POST /v1/papers/{id}/corrections         401  401      401      401   403  403     400     403    400
POST /v1/authors/{id}/merge              401  401      401      401   403  403     400     403    400
POST /v1/authors/{id}/split              401  401      401      401   403  403     400     403    400
POST /v1/entities/{id}/merge             401  401      401      401   403  403     400     403    400
POST /v1/entities/{id}/split             401  401      401      401   403  403     400     403    400
POST /v1/authors/{id}/undo               401  401      401      401   403  403     404     403    404
GET /v1/keys                             401  401      401      401   200  200     200     200    200
POST /v1/keys                            401  401      401      401   400  400     400     400    400
DELETE /v1/keys/{id}                     401  401      401      401   400  400     400     400    400
GET /v1/sign-up                          200  200      200      200   200  200     200     200    200
POST /v1/sign-up/invitation              400  400      400      400   400  400     400     400    400
POST /v1/sign-up                         400  400      400      400   400  400     400     400    400
GET /v1/invitations                      401  401      401      401   403  403     403     403    200
POST /v1/invitations                     401  401      401      401   403  403     403     403    400
DELETE /v1/invitations/{id}              401  401      401      401   403  403     403     403    400
POST /v1/session                         401  401      401      401   201  201     201     201    201
DELETE /v1/session                       401  401      401      401   204  204     204     204    204
query node                               401  401      401      401   200  403     403     403    200
query paper                              401  401      401      401   200  403     403     403    200
query papers                             401  401      401      401   200  403     403     403    200
query pipeline                           401  401      401      401   200  403     403     403    200
query pipelines                          401  401      401      401   200  403     403     403    200
query clusters                           401  401      401      401   200  403     403     403    200
query collections                        401  401      401      401   200  403     403     403    200
query entities                           401  401      401      401   200  403     403     403    200
query venues                             401  401      401      401   200  403     403     403    200
query affiliations                       401  401      401      401   200  403     403     403    200
query nodes                              401  401      401      401   200  403     403     403    200
query path                               401  401      401      401   200  403     403     403    200
query queries                            401  401      401      401   200  403     403     403    200
query questions                          401  401      401      401   200  403     403     403    200
query job                                401  401      401      401   403  403     200     403    200
query jobs                               401  401      401      401   403  403     200     403    200
query enrichments                        401  401      401      401   200  403     403     403    200
query enrichmentEstimate                 401  401      401      401   403  403     200     403    200
query ingestionEstimate                  401  401      401      401   403  403     200     403    200
query enrich                             401  401      401      401   403  403     200     403    200
query ingest                             401  401      401      401   403  403     200     403    200
query cancelJob                          401  401      401      401   403  403     200     403    200
query retryJob                           401  401      401      401   403  403     200     403    200
query deletePaper                        401  401      401      401   403  403     200     403    200
query reviewQuestion                     401  401      401      401   403  403     200     403    200
query jobProgress                        401  401      401      401   403  403     200     403    200
query jobEvents                          401  401      401      401   403  403     200     403    200
query paperFacets                        401  401      401      401   200  403     403     403    200
query map                                401  401      401      401   200  403     403     403    200
query neighbourhood                      401  401      401      401   200  403     403     403    200
query viewer                             401  401      401      401   200  200     200     200    200
query server                             401  401      401      401   200  200     200     200    200
query papersWithStatus                   401  401      401      401   200  403     403     403    200
query suggest                            401  401      401      401   200  403     403     403    200
query search                             401  401      401      401   200  403     403     403    200
query ask                                401  401      401      401   403  200     403     403    200
query answer                             401  401      401      401   403  200     403     403    200
query cypher                             401  401      401      401   403  403     403     200    200
query setSubject                         401  401      401      401   403  403     200     403    200
query summary                            401  401      401      401   403  200     403     403    200
query storedAnswer                       401  401      401      401   200  403     403     403    200
query rateAnswer                         401  401      401      401   403  200     403     403    200
query deleteAnswer                       401  401      401      401   403  200     403     403    200
query createCollection                   401  401      401      401   403  403     200     403    200
query describeCollection                 401  401      401      401   403  403     200     403    200
query deleteCollection                   401  401      401      401   403  403     200     403    200
query paperFields                        401  401      401      401   200  403     403     403    200
query exportPapers                       401  401      401      401   200  403     403     403    200
query editPaper                          401  401      401      401   403  403     200     403    200
query checkRetractions                   401  401      401      401   403  403     200     403    200
query checkReferences                    401  401      401      401   403  403     200     403    200
query copyPapers                         401  401      401      401   403  403     200     403    200
query rereadPapers                       401  401      401      401   403  403     200     403    200
query paperPairs                         401  401      401      401   200  403     403     403    200
query inbox                              401  401      401      401   200  403     403     403    200
query watches                            401  401      401      401   403  403     403     403    200
query zoteroLibraries                    401  401      401      401   403  403     403     403    200
query zoteroChanges                      401  401      401      401   403  403     403     403    200
query zoteroIncoming                     401  401      401      401   403  403     403     403    200
query syncZotero                         401  401      401      401   403  403     403     403    200
query pushZotero                         401  401      401      401   403  403     403     403    200
query undoZotero                         401  401      401      401   403  403     403     403    200
query snowballs                          401  401      401      401   403  403     403     403    200
query paperVersions                      401  401      401      401   200  403     403     403    200
query brokenQuotes                       401  401      401      401   403  403     200     403    200
query decideInbox                        401  401      401      401   403  403     200     403    200
query createTable                        401  401      401      401   403  403     200     403    200
query changeTableColumns                 401  401      401      401   403  403     200     403    200
query runTable                           401  401      401      401   403  403     200     403    200
query editCell                           401  401      401      401   403  403     200     403    200
query deleteTable                        401  401      401      401   403  403     200     403    200
query createScreening                    401  401      401      401   403  403     200     403    200
query importScreening                    401  401      401      401   403  403     200     403    200
query decideScreening                    401  401      401      401   403  403     200     403    200
query joinScreeningRecords               401  401      401      401   403  403     200     403    200
query ingestScreening                    401  401      401      401   403  403     200     403    200
query deleteScreening                    401  401      401      401   403  403     200     403    200
query addWatch                           401  401      401      401   403  403     403     403    200
query runWatch                           401  401      401      401   403  403     403     403    200
query pauseWatch                         401  401      401      401   403  403     403     403    200
query deleteWatch                        401  401      401      401   403  403     403     403    200
query openFeed                           401  401      401      401   403  403     403     403    200
query annotations                        401  401      401      401   200  403     403     403    200
query annotationExport                   401  401      401      401   200  403     403     403    200
query tags                               401  401      401      401   200  403     403     403    200
query storedAnswers                      401  401      401      401   200  403     403     403    200
query tables                             401  401      401      401   200  403     403     403    200
query tableColumns                       401  401      401      401   200  403     403     403    200
query tableDiff                          401  401      401      401   200  403     403     403    200
query tableRows                          401  401      401      401   200  403     403     403    200
query annotate                           401  401      401      401   403  200     403     403    200
query changeAnnotation                   401  401      401      401   403  200     403     403    200
query deleteAnnotations                  401  401      401      401   403  200     403     403    200
query paperCorrections                   401  401      401      401   403  403     200     403    200
query mergePapers                        401  401      401      401   403  403     200     403    200
query splitPaper                         401  401      401      401   403  403     200     403    200
query undoPaper                          401  401      401      401   403  403     200     403    200
query rejectPair                         401  401      401      401   403  403     200     403    200
query rejectCorrection                   401  401      401      401   403  403     200     403    200
query mergeAuthors                       401  401      401      401   403  403     200     403    200
query splitAuthor                        401  401      401      401   403  403     200     403    200
query mergeEntities                      401  401      401      401   403  403     200     403    200
query splitEntities                      401  401      401      401   403  403     200     403    200
query undoAuthor                         401  401      401      401   403  403     200     403    200
query apiKeys                            401  401      401      401   200  200     200     200    200
query collectionRoles                    401  401      401      401   403  403     403     403    200
query setRole                            401  401      401      401   403  403     403     403    200
query createApiKey                       401  401      401      401   200  200     200     200    200
query revokeApiKey                       401  401      401      401   200  200     200     200    200
query invitations                        401  401      401      401   403  403     403     403    200
query createInvitation                   401  401      401      401   403  403     403     403    200
query revokeInvitation                   401  401      401      401   403  403     403     403    200
"""
"""The status that each sort of key is answered with; a new route or field needs a line."""

ROWS = {
    line[:40].strip(): dict(zip(KEYS, map(int, line[40:].split()), strict=True))
    for line in TABLE.strip("\n").split("\n")[1:]
}
OPERATIONS = {
    "node": f'{{ node(id: "{NOWHERE}") {{ id }} }}',
    "paper": '{ paper(key: "doi:10.1000/182") { title } }',
    "papers": COUNT["query"],
    "pipeline": '{ pipeline(name: "fast") { name } }',
    "pipelines": "{ pipelines { name } }",
    "clusters": "{ clusters { totalCount } }",
    "collections": "{ collections { name } }",
    "entities": "{ entities { totalCount } }",
    "venues": "{ venues { totalCount } }",
    "affiliations": "{ affiliations { totalCount } }",
    "nodes": f'{{ nodes(ids: ["{NOWHERE}"]) {{ id }} }}',
    "path": f'{{ path(fromId: "{NOWHERE}", toId: "{"1" * 64}") {{ steps {{ type }} }} }}',
    "queries": "{ queries { name } }",
    "questions": "{ questions { totalCount } }",
    "job": '{ job(id: "elsewhere") { id } }',
    "jobs": "{ jobs { totalCount } }",
    "ingest": "mutation { ingest(sources: []) { __typename } }",
    "enrichments": "{ enrichments { name } }",
    "enrichmentEstimate": "{ enrichmentEstimate { nDue } }",
    "ingestionEstimate": "{ ingestionEstimate { nDocuments } }",
    "enrich": 'mutation { enrich(enrichments: ["-"]) { __typename } }',
    "cancelJob": 'mutation { cancelJob(id: "elsewhere") { __typename } }',
    "retryJob": 'mutation { retryJob(id: "elsewhere") { __typename } }',
    "deletePaper": f'mutation {{ deletePaper(id: "{NOWHERE}") {{ __typename }} }}',
    "reviewQuestion": f'mutation {{ reviewQuestion(id: "{NOWHERE}", decision: ACCEPTED) {{ __typename }} }}',
    "jobProgress": 'subscription { jobProgress(id: "elsewhere") { id } }',
    "jobEvents": 'subscription { jobEvents(id: "elsewhere") { job { id } } }',
    "paperFacets": "{ paperFacets(facets: [YEAR]) { facet } }",
    "map": "{ map { method } }",
    "neighbourhood": f'{{ neighbourhood(ids: ["{NOWHERE}"]) {{ truncated }} }}',
    "viewer": "{ viewer { name scopes } }",
    "server": "{ server { version } }",
    "suggest": '{ suggest(text: "qub") { text } }',
    "search": '{ search(input: {query: "qubits", pipeline: "fulltext"}) { hits { rank } } }',
    "ask": '{ ask(input: {question: "qubits", pipeline: "fulltext"}) { __typename } }',
    "answer": 'subscription { answer(input: {question: "qubits", pipeline: "fulltext"}) { __typename } }',
    "cypher": '{ cypher(input: {query: "RETURN 1"}) { columns } }',
    "summary": "{ summary { text } }",
    "storedAnswer": '{ storedAnswer(id: "answer-0123456789abcdef") { text } }',
    "rateAnswer": 'mutation { rateAnswer(id: "answer-0123456789abcdef", verdict: UP) { __typename } }',
    "deleteAnswer": 'mutation { deleteAnswer(id: "answer-0123456789abcdef") { __typename } }',
    "createCollection": 'mutation { createCollection(name: "-") { __typename } }',
    "describeCollection": 'mutation { describeCollection(name: "elsewhere", title: "x") { __typename } }',
    "deleteCollection": 'mutation { deleteCollection(name: "elsewhere") { __typename } }',
    "paperFields": f'{{ paperFields(id: "{NOWHERE}") {{ name }} }}',
    "exportPapers": f'{{ exportPapers(ids: ["{NOWHERE}"], format: RIS) {{ nPapers }} }}',
    "editPaper": f'mutation {{ editPaper(id: "{NOWHERE}", fields: {{year: 2015}}) {{ __typename }} }}',
    "checkRetractions": 'mutation { checkRetractions(collection: "main") { __typename } }',
    "checkReferences": 'mutation { checkReferences(bibliography: "-") { __typename } }',
    "copyPapers": 'mutation { copyPapers(ids: [], fromCollection: "main", toCollection: "b") { __typename } }',
    "rereadPapers": "mutation { rereadPapers(ids: []) { __typename } }",
    "paperPairs": "{ paperPairs { common } }",
    "inbox": "{ inbox { title } }",
    "watches": "{ watches { id } }",
    "zoteroLibraries": '{ zoteroLibraries(library: "none") { name } }',
    "zoteroChanges": "{ zoteroChanges { number } }",
    "zoteroIncoming": '{ zoteroIncoming(library: "none") { title } }',
    "syncZotero": 'mutation { syncZotero(library: "none") { __typename } }',
    "pushZotero": 'mutation { pushZotero(push: {library: "none"}) { __typename } }',
    "undoZotero": "mutation { undoZotero(number: 1) { __typename } }",
    "snowballs": "{ snowballs { id } }",
    "paperVersions": f'{{ paperVersions(paper: "{NOWHERE}") {{ number }} }}',
    "brokenQuotes": "{ brokenQuotes { id } }",
    "createTable": 'mutation { createTable(table: {name: "a", columns: []}) { __typename } }',
    "changeTableColumns": 'mutation { changeTableColumns(table: "none", columns: []) { __typename } }',
    "runTable": 'mutation { runTable(table: "none") { __typename } }',
    "editCell": 'mutation { editCell(edit: {table: "none", paper: "a", column: "b"}) { __typename } }',
    "deleteTable": 'mutation { deleteTable(table: "none") { __typename } }',
    "createScreening": 'mutation { createScreening(screening: {name: ""}) { __typename } }',
    "importScreening": 'mutation { importScreening(screening: "a", source: "", upload: "a") { __typename } }',
    "decideScreening": 'mutation {decideScreening(decision: {screening: "", record: "", verdict: OPEN}) {__typename}}',
    "joinScreeningRecords": 'mutation { joinScreeningRecords(screening: "a", record: "b") { __typename } }',
    "ingestScreening": 'mutation { ingestScreening(screening: "a") { __typename } }',
    "deleteScreening": 'mutation { deleteScreening(screening: "none") { __typename } }',
    "decideInbox": "mutation { decideInbox(ids: [], state: NEVER) { __typename } }",
    "addWatch": 'mutation { addWatch(kind: "rumours") { __typename } }',
    "runWatch": 'mutation { runWatch(id: "none") { __typename } }',
    "pauseWatch": 'mutation { pauseWatch(id: "none") { __typename } }',
    "deleteWatch": 'mutation { deleteWatch(id: "none") { __typename } }',
    "openFeed": 'mutation { openFeed(id: "none") { __typename } }',
    "annotations": "{ annotations { text } }",
    "annotationExport": "{ annotationExport { text } }",
    "tags": "{ tags { name } }",
    "storedAnswers": "{ storedAnswers { asked } }",
    "tables": "{ tables { name } }",
    "tableColumns": '{ tableColumns(table: "a") { name } }',
    "tableDiff": '{ tableDiff(table: "a", before: "2026-11-01T00:00:00Z") { title } }',
    "tableRows": '{ tableRows(table: "a") { title } }',
    "annotate": 'mutation { annotate(annotation: { papers: ["a"], kind: STAR }) { __typename } }',
    "changeAnnotation": 'mutation { changeAnnotation(id: "a", change: {}) { __typename } }',
    "deleteAnnotations": "mutation { deleteAnnotations(ids: []) { __typename } }",
    "paperCorrections": f'{{ paperCorrections(id: "{NOWHERE}") {{ name }} }}',
    "mergePapers": f'mutation {{ mergePapers(id: "{NOWHERE}", other: "{NOWHERE}") {{ __typename }} }}',
    "splitPaper": f'mutation {{ splitPaper(id: "{NOWHERE}") {{ __typename }} }}',
    "undoPaper": f'mutation {{ undoPaper(id: "{NOWHERE}") {{ __typename }} }}',
    "rejectPair": f'mutation {{ rejectPair(id: "{NOWHERE}", other: "{NOWHERE}") {{ __typename }} }}',
    "rejectCorrection": f'mutation {{ rejectCorrection(id: "{NOWHERE}", name: "x", values: []) {{ __typename }} }}',
    "mergeAuthors": f'mutation {{ mergeAuthors(id: "{NOWHERE}", into: "{NOWHERE}") {{ __typename }} }}',
    "splitAuthor": f'mutation {{ splitAuthor(id: "{NOWHERE}", papers: ["x"]) {{ __typename }} }}',
    "mergeEntities": f'mutation {{ mergeEntities(id: "{NOWHERE}", other: "{NOWHERE}") {{ __typename }} }}',
    "splitEntities": f'mutation {{ splitEntities(id: "{NOWHERE}", other: "{NOWHERE}") {{ __typename }} }}',
    "undoAuthor": f'mutation {{ undoAuthor(id: "{NOWHERE}") {{ __typename }} }}',
    "apiKeys": "{ apiKeys { id } }",
    "collectionRoles": '{ collectionRoles(collection: "elsewhere") { name } }',
    "setRole": 'mutation { setRole(collection: "elsewhere", key: "nothere0") { __typename } }',
    "createApiKey": 'mutation { createApiKey(name: "", scopes: []) { __typename } }',
    "revokeApiKey": 'mutation { revokeApiKey(id: "nothere0") { __typename } }',
    "invitations": "{ invitations { id } }",
    "createInvitation": 'mutation { createInvitation(input: {name: "", scopes: []}) { __typename } }',
    "revokeInvitation": 'mutation { revokeInvitation(id: "nothere0") { __typename } }',
    "setSubject": 'mutation { setSubject(collection: "elsewhere", subject: "x") { __typename } }',
}
for _one in endpoints().values():
    ROWS.setdefault(f"GET /v1{_one.route}", ROWS["GET /v1/collections"])
    ROWS.setdefault(f"query {to_camel(_one.function)}", ROWS["query collections"])
    OPERATIONS.setdefault(to_camel(_one.function), _one.example)
CODES = {401: "UNAUTHENTICATED", 403: "FORBIDDEN"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def keys(library: Database) -> AsyncIterator[Mapping[str, str]]:
    """A key of each sort."""
    made: dict[str, str] = {"none": "", "bad": "pg_abcdefgh_" + "x" * 43}
    for name in (*KEYS[2:],):
        scope = KeyScope(name) if name in set(KeyScope) else KeyScope.ADMIN
        key, made[name] = await create_key(library, name=name, scopes=[scope], expires=timedelta(days=1))
        if name == "revoked":
            await revoke_key(library, key.id)
        if name == "expired":
            await library.run_alone(EXPIRE, id=key.id)
    yield made
    await library.run_alone(FORGET_KEYS)


@pytest.fixture
def locked(library: Database, embedder: Embedder) -> Iterator[httpx.AsyncClient]:
    """The application that requires keys, within this process; one that has seen no wrong keys yet."""
    yield client_of(library, embedder, REQUIRED)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def asked_by_all(library: Database, embedder: Embedder) -> AsyncIterator[httpx.AsyncClient]:
    """The same application for each row of the table."""
    async with client_of(library, embedder, REQUIRED) as client:
        yield client


def client_of(database: Database, embedder: Embedder | None, policy: ServerLimits) -> httpx.AsyncClient:
    application = create_app(Service(database, embedder), policy)  # type: ignore[arg-type]
    return httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost")


def shown(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def code_of(response: httpx.Response) -> str:
    answer = response.json()
    if "code" in answer:  # REST
        return str(answer["code"])
    if "jsonrpc" in answer:
        return str(answer["error"]["data"]["code"])
    if "error" in answer:  # OpenAI's
        return {"invalid_api_key": "UNAUTHENTICATED"}.get(answer["error"]["code"], answer["error"]["code"].upper())
    (error,) = answer["errors"]
    return str(error["extensions"]["code"])


async def ask(client: httpx.AsyncClient, row: str, key: str) -> httpx.Response:
    kind, _, name = row.partition(" ")
    if kind == "query":
        return await client.post("/graphql", json={"query": OPERATIONS[name]}, headers=shown(key))
    body = {"query": "{ __typename }"} if row == "POST /graphql" else {}
    path = name.replace(":path", "").format(id=NOWHERE, name="fast", n=1, key="wrong")
    return await client.request(kind, path, json=None if kind == "GET" else body, headers=shown(key))


class TestTable:
    def test_each_route_of_the_application_has_its_lines(self):
        declared = declared_routes().routes

        routes = {(method, path) for method, path in routes_of(bare_application().router)}

        assert routes == set(declared)
        assert {row for row in ROWS if not row.startswith("query ")} == {" ".join(route) for route in declared}

    def test_each_field_of_graphql_has_its_lines(self):
        types = [schema._schema.query_type, schema._schema.mutation_type, schema._schema.subscription_type]
        fields = {field for type in types if type is not None for field in type.fields}

        assert fields == set(FIELDS) == set(OPERATIONS)
        assert {row for row in ROWS if row.startswith("query ")} == {f"query {field}" for field in fields}

    @pytest.mark.parametrize("row", ROWS)
    async def test_each_sort_of_key_is_answered_as_the_table_says(self, asked_by_all, keys, row):
        for sort in KEYS:
            asked_by_all.cookies.clear()
            response = await ask(asked_by_all, row, keys[sort])

            assert response.status_code == ROWS[row][sort], (sort, response.text)
            if response.status_code in CODES:
                assert code_of(response) == CODES[response.status_code]
                assert response.json().get("data") is None
                assert ("www-authenticate" in response.headers) == (response.status_code == 401)
            elif row.startswith("query "):
                assert "FORBIDDEN" not in response.text

    @pytest.mark.slow
    async def test_without_keys_all_of_it_is_answered(self, library, embedder):
        async with client_of(library, embedder, ServerLimits()) as client:
            statuses = {row: (await ask(client, row, "")).status_code for row in ROWS}

        with_keys = {row: sorts["admin"] for row, sorts in ROWS.items()}
        assert statuses == with_keys | {"POST /v1/session": 409}  # there is nothing to log in to


def routes_of(router: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield method and path of each route, those of included routers too."""
    for route in router.routes:
        if (inner := getattr(route, "original_router", None)) is not None:
            yield from routes_of(inner, prefix + route.include_context.prefix)
        else:
            for method in sorted(getattr(route, "methods", None) or {"GET"}):
                yield method, prefix + route.path


class TestKeys:
    @pytest.mark.parametrize("header", ["Authorization", "authorization", "X-API-Key"])
    async def test_a_key_is_taken_from_a_header(self, locked, keys, header):
        value = keys["read"] if header == "X-API-Key" else f"Bearer {keys['read']}"

        assert (await locked.post("/graphql", json=COUNT, headers={header: value})).status_code == 200

    async def test_a_key_is_not_taken_from_the_address_or_the_body(self, locked, keys):
        key = keys["read"]

        in_address = await locked.post(f"/graphql?key={key}&api_key={key}&access_token={key}", json=COUNT)
        in_body = await locked.post("/graphql", json=COUNT | {"key": key, "extensions": {"key": key}})

        assert (in_address.status_code, in_body.status_code) == (401, 401)

    async def test_a_part_of_an_operation_that_is_forbidden_forbids_the_whole(self, locked, keys):
        query = (
            "query one { ...both } query other { pipelines { name } } "
            "fragment both on Query { ... on Query { papers { totalCount } } __typename }"
        )

        forbidden = await locked.post(
            "/graphql", json={"query": query, "operationName": "one"}, headers=shown(keys["ask"])
        )
        answered = await locked.post(
            "/graphql", json={"query": query, "operationName": "one"}, headers=shown(keys["read"])
        )

        assert (forbidden.status_code, code_of(forbidden)) == (403, "FORBIDDEN")
        assert forbidden.json()["errors"][0]["extensions"]["requestId"]
        assert answered.json()["data"]["papers"]["totalCount"] > 0

    async def test_a_pipeline_that_asks_a_language_model_takes_the_scope_for_it(self, locked, keys):
        name = next(name for name, pipeline in shipped().items() if pipeline.asks_model)
        by_name = f'{{ search(input: {{query: "qubits", pipeline: "{name}"}}) {{ hits {{ rank }} }} }}'
        by_option = by_name.replace(f'"{name}"', '"default", overrides: [{option: "expand.by", value: "rewrite"}]')

        for query in (by_name, by_option):
            refused = await locked.post("/graphql", json={"query": query}, headers=shown(keys["read"]))
            let_in = await locked.post("/graphql", json={"query": query}, headers=shown(keys["admin"]))

            assert (refused.status_code, code_of(refused)) == (403, "FORBIDDEN")
            assert "none is configured" in let_in.json()["errors"][0]["message"]

    async def test_nothing_is_said_of_what_is_there_without_a_key(self, locked):
        paths = ("/nothing", "/docs", "/graphql/x", "/healthz/", "//healthz")
        answers = [await locked.get(path, headers={"X-Request-ID": "mine"}) for path in paths]

        assert {(answer.status_code, answer.text) for answer in answers} == {(401, answers[0].text)}

    async def test_what_is_not_there_and_methods_that_are_not(self, locked, keys):
        nothing = await locked.get("/nothing", headers=shown(keys["read"]))
        deleted = await locked.delete("/graphql", headers=shown(keys["admin"]))

        assert (nothing.status_code, code_of(nothing)) == (404, "NOT_FOUND")
        assert (deleted.status_code, deleted.headers["allow"]) == (405, "GET, POST")

    async def test_a_known_key_costs_no_statement(self, library, embedder, keys):
        async def statements(client: httpx.AsyncClient) -> int:
            before = library.n_queries
            response = await client.post("/graphql", json=COUNT, headers=shown(keys["read"]))
            assert response.status_code == 200
            return library.n_queries - before

        async with (
            client_of(library, embedder, REQUIRED) as locked,
            client_of(library, embedder, ServerLimits()) as open_,
        ):
            await statements(locked)
            await asyncio.sleep(0.2)  # its use is being noted

            assert await statements(locked) == await statements(open_)

    async def test_without_its_database_keys_cannot_be_checked_and_no_details_are_told(self, caplog):
        driver = AsyncGraphDatabase.driver(f"bolt://127.0.0.1:{free_port()}", auth=("neo4j", "x"))
        async with Database(driver, deadline_s=1.0) as database, client_of(database, None, REQUIRED) as client:
            response = await client.post("/graphql", json=COUNT, headers=shown("pg_abcdefgh_" + "x" * 43))

        assert response.status_code in (503, 504)
        assert "127.0.0.1" not in response.text and "xxx" not in caplog.text

    @pytest.mark.slow
    async def test_no_secret_is_logged_whatever_becomes_of_the_request(self, locked, keys, caplog):
        with caplog.at_level(logging.DEBUG):
            for row in ROWS:
                for key in keys.values():
                    await ask(locked, row, key)

        secrets = [key[12:] for key in keys.values() if key]
        assert len(secrets) == 8 and not any(secret in caplog.text for secret in secrets)


class TestLimits:
    async def test_too_many_requests_are_refused_with_when_to_come_again(self, library, embedder, keys):
        policy = ServerLimits(keys_required=True, requests_per_minute=3, cost_per_minute=1000)
        async with client_of(library, embedder, policy) as client:
            answers = [await client.post("/graphql", json=COUNT, headers=shown(keys["read"])) for _ in range(4)]
            other = await client.post("/graphql", json=COUNT, headers=shown(keys["admin"]))
            alive = [await client.get("/healthz") for _ in range(5)]

        *taken, refused = answers
        assert [answer.status_code for answer in taken] == [200, 200, 200]
        assert [answer.headers["ratelimit"].split(";")[1] for answer in taken] == ["r=2", "r=1", "r=0"]
        assert taken[0].headers["ratelimit-policy"] == '"requests";q=3;w=60, "cost";q=1000;w=60'
        assert (refused.status_code, code_of(refused)) == (429, "RATE_LIMITED")
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        assert '"requests";r=0;t=' in refused.headers["ratelimit"]
        assert other.status_code == 200
        assert {answer.status_code for answer in alive} == {200}

    async def test_an_operation_is_charged_before_it_is_done(self, library, embedder, keys):
        async with client_of(library, embedder, ServerLimits(keys_required=True, cost_per_minute=2 * COST)) as client:
            for _ in range(2):
                await client.post("/graphql", json=COUNT, headers=shown(keys["read"]))
            before = library.n_queries
            refused = await client.post("/graphql", json=COUNT, headers=shown(keys["read"]))

        assert (refused.status_code, code_of(refused)) == (429, "RATE_LIMITED")
        assert int(refused.headers["retry-after"]) >= 1
        assert library.n_queries == before

    async def test_without_keys_the_limits_are_of_an_address(self, library, embedder):
        async with client_of(library, embedder, ServerLimits(requests_per_minute=1)) as client:
            answers = [await client.get("/") for _ in range(2)]

        assert [answer.status_code for answer in answers] == [200, 429]

    async def test_wrong_keys_keep_no_new_key_out(self, library, embedder, keys):
        async with client_of(library, embedder, REQUIRED) as client:
            asked = [client.get("/", headers=shown(f"pg_{number:08}_{'x' * 43}"), timeout=60) for number in range(40)]
            *wrong, new = await asyncio.gather(*asked, client.get("/", headers=shown(keys["admin"]), timeout=60))
            known = await client.get("/", headers=shown(keys["admin"]))

        assert {answer.status_code for answer in wrong} <= {401, 429}
        assert (new.status_code, known.status_code) == (200, 200)

    async def test_a_full_key_and_a_full_server_say_so(self, library, embedder, keys, monkeypatch):
        go_on = asyncio.Event()
        started = asyncio.Semaphore(0)

        async def slow(*_: Any, **__: Any) -> int:
            started.release()
            await go_on.wait()
            return 7

        monkeypatch.setattr("papergraph.server.graph.nodes.count_papers", slow)
        policy = ServerLimits(keys_required=True, requests_at_once=2, all_requests_at_once=3)
        async with client_of(library, embedder, policy) as client:

            async def count(sort: str) -> httpx.Response:
                return await client.post("/graphql", json=COUNT, headers=shown(keys[sort]))

            waiting = [asyncio.create_task(count(sort)) for sort in ("read", "read", "admin")]
            for _ in waiting:
                await started.acquire()
            full_key, full_server = await count("read"), await count("admin")
            alive = await client.get("/healthz")
            go_on.set()
            answers = await asyncio.gather(*waiting)
            afterwards = await count("read")

        assert (full_key.status_code, code_of(full_key), full_key.headers["retry-after"]) == (429, "RATE_LIMITED", "1")
        assert (full_server.status_code, code_of(full_server)) == (503, "UNAVAILABLE")
        assert full_server.headers["retry-after"] == "1"
        assert [answer.status_code for answer in (*answers, afterwards, alive)] == [200] * 5

    async def test_who_gets_no_turn_in_time_is_told_to_come_again(self, library, embedder, keys, monkeypatch):
        go_on, started = asyncio.Event(), asyncio.Event()

        async def slow(*_: Any, **__: Any) -> int:
            started.set()
            await go_on.wait()
            return 7

        monkeypatch.setattr("papergraph.server.graph.nodes.count_papers", slow)
        async with client_of(library, embedder, ServerLimits(keys_required=True, worked_on_at_once=1)) as client:

            def count() -> "asyncio.Task[httpx.Response]":
                return asyncio.create_task(client.post("/graphql", json=COUNT, headers=shown(keys["read"])))

            working = count()
            await started.wait()
            monkeypatch.setattr("papergraph.server.auth.rate_limits.PATIENCE_S", 0.01)
            late = await count()
            late_rest = await client.get("/v1/papers", headers=shown(keys["read"]))
            monkeypatch.setattr("papergraph.server.auth.rate_limits.PATIENCE_S", 60)
            waiting = count()
            alive = await client.get("/healthz")
            go_on.set()
            answers = await asyncio.gather(working, waiting)

        assert (late.status_code, code_of(late), late.headers["retry-after"]) == (503, "UNAVAILABLE", "1")
        assert (late_rest.status_code, late_rest.json()["code"]) == (503, "UNAVAILABLE")
        assert late_rest.headers["retry-after"] == "1"
        assert [answer.status_code for answer in (*answers, alive)] == [200] * 3


class TestHeaders:
    @pytest.mark.parametrize("row", ["GET /", "GET /healthz", "POST /graphql", "query papers", "GET /nothing"])
    async def test_every_answer_says_that_it_is_data_for_whoever_asked(self, locked, keys, row):
        for key in ("", keys["read"]):
            headers = (await ask(locked, row, key)).headers

            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["cross-origin-opener-policy"] == "same-origin"
            assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
            assert headers["cache-control"] == "private, no-cache"

    async def test_a_foreign_name_is_refused_with_them_and_other_sites_are_not_let_in(self, locked, keys):
        foreign = await locked.get("/", headers={"host": "example.org"})
        preflight = await locked.options(
            "/graphql", headers={"origin": "https://example.org", "access-control-request-method": "POST"}
        )
        asked = await locked.post(
            "/graphql", json=COUNT, headers=shown(keys["read"]) | {"origin": "https://example.org"}
        )

        assert (foreign.status_code, foreign.headers["x-content-type-options"]) == (400, "nosniff")
        assert (preflight.status_code, asked.status_code) == (401, 403)
        for answer in (foreign, preflight, asked):
            assert not any(name.startswith("access-control-") for name in answer.headers)

    async def test_a_name_that_the_operator_gave_is_taken(self, library, embedder, keys):
        policy = ServerLimits(keys_required=True, hosts=("papers.example.org", "*.lab.example.org"))
        async with client_of(library, embedder, policy) as client:
            statuses = [
                (await client.get("/", headers=shown(keys["read"]) | {"host": host})).status_code
                for host in ("papers.example.org:8000", "a.lab.example.org", "localhost", "other.example.org")
            ]

        assert statuses == [200, 200, 200, 400]


class TestCommands:
    def test_a_key_is_made_shown_once_listed_and_revoked(self, papergraph, library):
        made = json.loads(
            papergraph(
                *("keys", "create", "--name", "[the] website", "--scope", "read", "--scope", "ask"),
                *("--collection", "many", "--collection", "cited", "--expires", "30d", "--json"),
            ).stdout
        )
        listed = papergraph("keys", "list")
        as_data = json.loads(papergraph("keys", "list", "--json").stdout)
        revoked = papergraph("keys", "revoke", made["id"])
        afterwards = [key for key in json.loads(papergraph("keys", "list", "--json").stdout) if key["id"] == made["id"]]

        assert made["key"].startswith(f"pg_{made['id']}_") and made["state"] == "valid"
        assert (made["scopes"], made["collections"]) == (["read", "ask"], ["cited", "many"])
        assert "[the] website" in listed.stdout and "cited, many" in listed.stdout
        assert made["id"] in {key["id"] for key in as_data}
        assert made["key"][12:] not in listed.stdout + json.dumps(as_data) + revoked.stdout
        assert (revoked.returncode, afterwards[0]["state"]) == (0, "revoked")

    def test_only_the_key_itself_goes_to_standard_output(self, papergraph, library):
        made = papergraph("keys", "create", "--name", "x", "--quiet")

        assert made.stdout.startswith("pg_") and made.stdout.count("\n") == 1
        assert "read; reaches all collections; never expires" in made.stderr

    @pytest.mark.parametrize(
        "arguments",
        [
            ("create", "--name", "x", "--scope", "write"),
            ("create", "--name", "x", "--expires", "soon"),
            ("create", "--name", "x", "--scope", "admin", "--collection", "main"),
        ],
    )
    def test_a_key_that_makes_no_sense_is_wrong_use(self, papergraph, library, arguments):
        result = papergraph("keys", *arguments)

        assert (result.returncode, result.stdout) == (2, "")

    def test_a_key_that_is_not_there_is_not_found(self, papergraph, library):
        assert papergraph("keys", "revoke", "nothere0").returncode == 3

    @pytest.mark.slow
    def test_beyond_this_machine_the_server_wants_keys_names_and_a_valid_key(self, papergraph, library, keys):
        anywhere = ("serve", "--host", "0.0.0.0", "--port", str(free_port()))  # noqa: S104

        without_keys = papergraph(*anywhere)
        without_names = papergraph(*anywhere, PAPERGRAPH_SERVER_REQUIRE_API_KEY="true")
        with papergraph.started(
            *anywhere, PAPERGRAPH_SERVER_REQUIRE_API_KEY="true", PAPERGRAPH_SERVER_TRUSTED_HOSTS="papers.example.org"
        ) as started:
            started.wait_for("serving; Ctrl-C stops")
            url = f"http://127.0.0.1:{anywhere[-1]}"
            refused = httpx.get(url, headers={"host": "papers.example.org"})
            index = httpx.get(url, headers={"host": "papers.example.org", "X-API-Key": keys["read"]})
            searched = papergraph("search", "surface code qubits", "--json", PAPERGRAPH_API_KEY=keys["read"])
            unsearched = papergraph("search", "surface code qubits")
            output = started.output.read_text()

        assert (without_keys.returncode, without_names.returncode) == (2, 2)
        assert (
            "PAPERGRAPH_SERVER_REQUIRE_API_KEY=true" in without_keys.stderr
            and "PAPERGRAPH_SERVER_TRUSTED_HOSTS" in without_names.stderr
        )
        assert (refused.status_code, index.status_code) == (401, 200)
        assert "server" not in index.headers
        assert searched.returncode == 0 and json.loads(searched.stdout)["hits"]
        assert (unsearched.returncode, "PAPERGRAPH_API_KEY" in unsearched.stderr) == (1, True)
        assert not any(key[12:] in output for key in keys.values() if key)


@pytest.mark.usefixtures("keys")
class TestNoKey:
    @pytest.mark.slow
    async def test_the_server_does_not_start_beyond_this_machine_while_no_key_is_valid(self, papergraph, library):
        await library.run_alone(FORGET_KEYS)
        key, _ = await create_key(library, name="gone", scopes=[KeyScope.READ])
        await revoke_key(library, key.id)

        result = await asyncio.to_thread(
            papergraph,
            *("serve", "--host", "0.0.0.0", "--port", str(free_port())),  # noqa: S104
            PAPERGRAPH_SERVER_REQUIRE_API_KEY="true",
            PAPERGRAPH_SERVER_TRUSTED_HOSTS="papers.example.org",
        )

        assert (result.returncode, "papergraph keys create" in result.stderr) == (2, True)
