"""Routes of collections: list, create, describe and delete them."""

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import Field

from papergraph.schema.ids import COLLECTION
from papergraph.server.auth.access import Role
from papergraph.server.auth.operations import CHANGE, DELETE_COLLECTION, READ, SHARE
from papergraph.server.graph import related as exploring
from papergraph.server.graph.values import language_warnings
from papergraph.server.operations import collections as operations
from papergraph.server.operations import keys
from papergraph.server.operations.collections import MOST_DESCRIPTION_CHARS, MOST_TITLE_CHARS, DeletedCollection
from papergraph.server.operations.context import Context, RequestContext
from papergraph.server.operations.keys import Member
from papergraph.server.rest.models import Collection
from papergraph.server.rest.requests import ListResponse, RequestModel

router = APIRouter()

Name = Annotated[str, Path(pattern=f"^{COLLECTION.pattern}$", description="Name of a collection.")]
Title = Annotated[str | None, Field(max_length=MOST_TITLE_CHARS)]
Description = Annotated[str | None, Field(max_length=MOST_DESCRIPTION_CHARS)]


class CollectionTexts(RequestModel):
    """Title and description of a collection; what is left out stays as it is."""

    title: Title = None
    """Title for people; empty for the name."""

    description: Description = None
    """Use of the collection; empty for none."""


class CollectionBody(CollectionTexts):
    """Collection to create."""

    name: str = Field(pattern=f"^{COLLECTION.pattern}$")
    """Name of the collection; it never changes."""


@router.get("/collections", summary="List collections, by name.")
@READ
async def list_collections(context: Context) -> ListResponse[Collection]:
    found = await exploring.list_collections(context.database, collections=context.collections)
    return ListResponse(data=await _counted(context, found))


@router.post("/collections", status_code=201, summary="Create an empty collection.")
@CHANGE
async def create_collection(context: Context, response: Response, wanted: CollectionBody) -> Collection:
    made = await operations.create_collection(
        context.database, wanted.name, wanted.title, wanted.description, collections=context.collections
    )
    return (await _counted(context, [made]))[0]


@router.patch("/collections/{name}", summary="Change the title or the description of a collection.")
@CHANGE
async def describe_collection(context: Context, name: Name, wanted: CollectionTexts) -> Collection:
    made = await operations.describe_collection(
        context.database, name, wanted.title, wanted.description, collections=context.collections
    )
    return (await _counted(context, [made]))[0]


@router.delete("/collections/{name}", summary="Delete a collection with all its data; repeat it until nLeft is 0.")
@DELETE_COLLECTION
async def delete_collection(context: Context, name: Name) -> DeletedCollection:
    done = await operations.delete_collection(
        context.database, name, collections=context.collections, originals=context.service.originals
    )
    return done


class RoleBody(RequestModel):
    """Role of an account in a collection."""

    role: Role | None
    """Role; null to let the scopes of its keys decide."""


@router.get("/collections/{name}/roles", summary="List the accounts that reach a collection, with their roles.")
@SHARE
async def list_collection_roles(context: Context, name: Name) -> ListResponse[Member]:
    return ListResponse(data=await keys.members_of(context.database, name, collections=context.collections))


@router.put("/collections/{name}/roles/{key}", summary="Set or remove the role of an account in a collection.")
@SHARE
async def set_collection_role(
    context: Context,
    name: Name,
    key: Annotated[str, Path(pattern="^[a-z0-9]{8}$", description="Id of the first key of the account.")],
    wanted: RoleBody,
) -> Member:
    return await keys.set_member(context.database, name, key, wanted.role, collections=context.collections)


async def _counted(context: RequestContext, found: list[exploring.Collection]) -> list[Collection]:
    names = [one.name for one in found]
    counts = await exploring.meaning_counts(context.database, names, collections=context.collections)
    warnings = await language_warnings(
        context.database,
        names,
        searched=context.service.resources.model.searched,
        collections=context.collections,
    )
    return [
        Collection(**vars(one), **vars(n), language_warnings=tuple(told))
        for one, n, told in zip(found, counts, warnings, strict=True)
    ]
