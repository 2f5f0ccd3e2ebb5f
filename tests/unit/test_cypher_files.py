"""Every Cypher file keeps the form of the style guide, and no Cypher comes from anywhere else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from papergraph import cypher
from papergraph.schema import model
from papergraph.server.integrations.llama_index.graph import properties_of
from papergraph.statement import Statement
from papergraph.vector_slots import PARTNERS, VectorSlot
from tests.support.for_each import for_each

ROOT = Path(cypher.__file__).parents[1]
FOLDERS = ("cli", "cypher", "ingest", "papergraph", "schema", "server")
NO_VERSION = ("SHOW ", "CALL ", "CREATE CONSTRAINT ", "DROP CONSTRAINT ", "DROP INDEX ")
"""Commands that are written without a language version."""

PROPERTIES = {
    label: {prop.name for node in model.NODES if label in (node.label, *node.also) for prop in node.properties}
    for label in {label for node in model.NODES for label in (node.label, *node.also)}
} | {relationship.type: {prop.name for prop in relationship.properties} for relationship in model.RELATIONSHIPS}
NAMES_OF_SCHEMA = {
    thing.name for thing in (*model.CONSTRAINTS, *model.RANGE_INDEXES, *model.VECTOR_INDEXES, *model.FULLTEXT_INDEXES)
}

each_file = for_each(name=cypher.names())


def code_of(statement: Statement) -> str:
    """Return the query without comments, those at the end of a line included."""
    return re.sub(r"\s//.*", "", cypher.body(statement))


# The files


def test_the_names_are_those_of_all_files():
    assert {"retrieval/vector_top_k", "ingest/write_papers", "schema/take_lock"} <= set(cypher.names())
    assert cypher.names() == sorted(cypher.names())


@each_file
def test_the_header_says_what_a_query_answers_returns_and_how_to_try_it(name):
    header = cypher.describe(cypher.load(name))

    assert header.summary.endswith(".")
    assert header.returns
    assert all(parameter.meaning for parameter in header.parameters)


@each_file
def test_the_declared_parameters_are_those_used(name):
    statement = cypher.load(name)

    declared = [parameter.name for parameter in cypher.describe(statement).parameters]

    assert len(declared) == len(set(declared))
    assert set(declared) == cypher.parameters_used(statement)
    assert set(declared) == set(re.findall(r"\$(\w+)", code_of(statement)))


@each_file
def test_what_to_try_sets_every_parameter(name):
    header = cypher.describe(cypher.load(name))

    tries = "\n".join(header.tries)

    for parameter in header.parameters:
        assert re.search(rf":param (?:{parameter.name} =>|\{{(?:.*, )?{parameter.name}:)", tries), parameter.name


@each_file
def test_a_query_names_its_language_version(name):
    body = cypher.body(cypher.load(name))

    if body.startswith(NO_VERSION):
        assert "CYPHER 25" not in body
    else:
        assert body.startswith("CYPHER 25\n")


@each_file
def test_a_query_that_returns_a_number_of_rows_puts_them_in_order(name):
    statement = cypher.load(name)

    if {"k", "limit"} & cypher.parameters_used(statement):
        assert re.search(r"\bORDER BY\b", code_of(statement).rpartition("RETURN")[2])


@each_file
def test_every_index_of_a_header_exists(name):
    text = cypher.load(name).text

    for named, file in re.findall(r"^// Index\s+(.+) \((\S+)\)$", text, re.MULTILINE):
        assert set(named.split(", ")) <= NAMES_OF_SCHEMA
        assert file == "schema/model.py"


@each_file
def test_every_label_relationship_and_property_of_a_query_is_in_the_model(name):
    code = code_of(cypher.load(name))

    bound: dict[str, set[str]] = {}
    for variable, types, inline in re.findall(r"[(\[](\w*):([\w|]+)(?: \{(\w+):)?", code):
        for type in types.split("|"):
            assert type in PROPERTIES
            assert not inline or inline in PROPERTIES[type], inline
            bound.setdefault(variable, set()).add(type)
    for variable, types in bound.items():
        known = set().union(*(PROPERTIES[type] for type in types))
        used = set(re.findall(rf"\b{variable}\.(\w+)", code)) if variable else set()
        assert used <= known, f"{variable}: {', '.join(sorted(used - known))}"


@each_file
def test_every_property_that_is_picked_out_of_a_node_is_in_the_model(name):
    known = set().union(*PROPERTIES.values())

    for picked in re.findall(r"\w \{([^{}]*)\}", code_of(cypher.load(name))):
        assert set(re.findall(r"(?<![\w)\]])\.(\w+)", picked)) <= known


@pytest.mark.parametrize("name", ["nodes_by_id", "nodes_of_collection", "relations_around"])
def test_llama_index_gets_all_properties_of_chunks_and_entities_but_vectors(name):
    read = set(re.findall(r"\s\.(\w+)", code_of(cypher.load(f"llama_index/{name}"))))

    assert properties_of("Chunk", "Entity") <= read <= properties_of("Chunk", "Entity", "Section")


@each_file
def test_names_of_a_place_of_vectors_are_declared_and_known(name):
    statement = cypher.load(name)
    declared, code = set(cypher.describe(statement).slots), code_of(statement)

    assert declared <= PARTNERS.keys()
    exchanged = "\n".join((code, *cypher.describe(statement).tries))
    assert all(re.search(rf"(?<![\w$])(?:{word}|{PARTNERS[word]})\b", exchanged) for word in declared)
    for index in re.findall(r"VECTOR INDEX (\w+)", code):
        state = set() if name.startswith("explore/") else {"first"}  # others ask the store whether the place is in use
        assert {index} | state <= declared
    if declared:
        written = set(re.findall(r"(?<![\w$])\w+", code))
        assert not (written & (PARTNERS.keys() | set(PARTNERS.values()))) - declared - {PARTNERS[w] for w in declared}


@each_file
def test_for_the_second_place_the_declared_names_change_places_and_nothing_else(name):
    first, second = cypher.load(name), cypher.load(name, VectorSlot.SECOND)
    declared = cypher.describe(first).slots

    words, exchanged = (re.findall(r"(?<![\w$])\w+", code_of(statement)) for statement in (first, second))

    both = {word: PARTNERS[word] for word in declared} | {PARTNERS[word]: word for word in declared}
    assert exchanged == [both.get(word, word) for word in words]
    assert (second.text == first.text) == (not declared)


def test_a_header_is_read_into_its_parts():
    statement = Statement(
        "a/b",
        "// One thing\n// in two lines.\n//\n// Parameters  $k     INTEGER       how many\n"
        "//             $keys  LIST<STRING>  which, on\n//                                  two lines\n"
        "// Returns     key  STRING\n//             n  INTEGER\n// Try it      :param {k: 1}\n"
        "//             :param keys => ['a']\nCYPHER 25\n// Not $this.\nMATCH (n) RETURN $k, $keys\n",
    )

    assert cypher.describe(statement) == cypher.Documentation(
        summary="One thing in two lines.",
        parameters=(
            cypher.Parameter("k", "INTEGER", "how many"),
            cypher.Parameter("keys", "LIST<STRING>", "which, on two lines"),
        ),
        returns="key  STRING\nn  INTEGER",
        tries=(":param {k: 1}", ":param keys => ['a']"),
    )
    assert cypher.parameters_used(statement) == {"k", "keys"}
    assert cypher.body(statement) == "CYPHER 25\nMATCH (n) RETURN $k, $keys"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("// A.\nRETURN 1", "a/b: the header lacks Parameters, Returns, Try it"),
        ("// A.\n// Parameters  none\n// Returns     n\nRETURN 1", "a/b: the header lacks Try it"),
        (
            "// A.\n// Parameters  k INTEGER how many\n// Returns     n\n// Try it      paste as it is\nRETURN 1",
            "a/b: cannot read the parameter line 'k INTEGER how many'",
        ),
    ],
)
def test_a_header_that_cannot_be_read_is_told_with_its_file(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        cypher.describe(Statement("a/b", text))


# The code that runs them

CALLS = frozenset({"read", "write", "run", "run_alone", "transact", "execute_query", "execute_read", "execute_write"})
RECEIVERS = frozenset({"database", "db", "transaction", "tx", "driver", "session", "inner", "graph"})
TYPES = frozenset({"Database", "Transaction", "AsyncDriver", "AsyncSession", "AsyncTransaction", "Driver", "Session"})
STATEMENT_MAKERS = frozenset(
    {
        "cypher/__init__.py",
        "schema/indexes.py",
        "schema/migrate.py",
        "papergraph/cypher_guard/__init__.py",
        "papergraph/revisions.py",
        "server/user_cypher/runner.py",
    }
)
"""Where text becomes a statement: a file that is read, a schema template with its one number, the one literal that
the ground floor writes itself, a user's own query."""

SENDERS = frozenset(
    {"papergraph/database.py", "papergraph/neo4j_errors.py", "papergraph/revisions.py", "cli/cypher_shell.py"}
)
"""Where the text of a statement is handed to the driver."""


def formatted_cypher(source: str, file: str) -> list[str]:
    """Return a line for each call that gives a database anything but a loaded file, and each statement made elsewhere.

    A name stands for a statement that the code was handed, or loaded before; a name for text that is put together in
    the same function does not pass. The ground floor, which cannot know the files, may ping with a literal.
    """
    tree = ast.parse(source)
    problems: dict[str, None] = {}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for scope in (tree, *functions):
        built = {name for node in ast.walk(scope) for name in _built_text(node)} if scope is not tree else set()
        typed = {
            argument.arg
            for argument in ast.walk(scope)
            if isinstance(argument, ast.arg) and argument.annotation and _mentions(argument.annotation, TYPES)
        }
        for node in ast.walk(scope):
            if not isinstance(node, ast.Call):
                continue
            makes_one = isinstance(node.func, ast.Name) and node.func.id == "Statement" and file not in STATEMENT_MAKERS
            if makes_one or (_is_call_of_a_database(node, typed) and not _is_allowed(node, file, built)):
                problems[f"{file}:{node.lineno}: {ast.unparse(node)}"] = None
    return list(problems)


def _mentions(annotation: ast.expr, names: frozenset[str]) -> bool:
    text = ast.unparse(annotation)
    return any(re.search(rf"\b{name}\b", text) for name in names) and "Callable" not in text


def _is_call_of_a_database(node: ast.Call, typed: set[str]) -> bool:
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in CALLS:
        return False
    receiver = node.func.value
    name = (
        receiver.id if isinstance(receiver, ast.Name) else receiver.attr if isinstance(receiver, ast.Attribute) else ""
    )
    return name.lstrip("_") in RECEIVERS or name in typed


def _is_allowed(node: ast.Call, file: str, built: set[str]) -> bool:
    assert isinstance(node.func, ast.Attribute)
    if node.func.attr == "transact":
        return True  # its first argument is a label; what the transaction runs is looked at itself
    if not node.args:
        return False
    return _is_statement(node.args[0], file, built)


def _is_statement(argument: ast.expr, file: str, built: set[str]) -> bool:
    match argument:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="cypher"), attr="load" | "gathered"),
            args=[ast.Constant(value=str(name)), *slot],
        ):
            return name in cypher.names() and all(isinstance(value, ast.Name | ast.Attribute) for value in slot)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="cypher"), attr="load"), args=[ast.Name(id=constant)]):
            return constant.isupper()
        case ast.Call(func=ast.Name(id="Query"), args=[text]):
            return _is_statement(text, file, built)
        case ast.IfExp(body=body, orelse=orelse):
            return _is_statement(body, file, built) and _is_statement(orelse, file, built)
        case ast.Name(id=name):
            return name not in built
        case ast.Attribute(value=ast.Name(id="statement" | "setting"), attr="text" | "sent"):
            return file in SENDERS
        case ast.Constant(value=str()):
            return file.startswith("papergraph/")
    return False


def _built_text(node: ast.AST) -> Iterator[str]:
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr) or node.value is None:
        return
    value = node.value
    puts_together = isinstance(value, ast.JoinedStr | ast.BinOp) or (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in ("format", "format_map", "join", "replace", "substitute")
    )
    if puts_together or isinstance(node, ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (target.id for target in targets if isinstance(target, ast.Name))


@pytest.mark.slow
def test_no_cypher_is_put_together_in_the_code():
    files = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))

    problems = [
        problem
        for path in files
        for problem in formatted_cypher(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix())
    ]

    assert len(files) > 10
    assert problems == []


def test_every_query_that_the_code_loads_is_there():
    loaded = {
        name
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        for name in re.findall(r'cypher\.(?:load|gathered)\(\s*"([^"]+)"', path.read_text(encoding="utf-8"))
    }

    assert "ingest/write_papers" in loaded
    assert loaded <= set(cypher.names())


@pytest.mark.parametrize(
    "code",
    [
        'database.read(f"MATCH (n) WHERE n.id = {id} RETURN n")',
        'database.read("MATCH (n) RETURN n")',
        'database.read("MATCH (n:%s) RETURN n" % label)',
        'self.database.run_alone("RETURN " + value)',
        'await transaction.run(text.replace("x", "y"))',
        'transaction.run(cypher.load(f"papers/{name}"))',
        'transaction.run(cypher.load("no/such/file"))',
        'transaction.run(cypher.gathered("no/such/file"))',
        'transaction.run(cypher.load("papers/count", f"{slot}"))',
        "driver.execute_query(statement.text)",
        'driver.execute_query(query_=f"{x}")',
        'session.run(Query(f"RETURN {x}", timeout=5.0))',
        "database.read(Statement('a', text))",
        "statement = Statement('a', f'{x}')",
        'def f(graph_store: Database):\n    graph_store.read("RETURN 1")',
        'def f():\n    query = f"RETURN {x}"\n    driver.execute_query(query)',
        'def f():\n    query = "RETURN "\n    query += x\n    session.run(query)',
    ],
)
def test_cypher_that_is_put_together_is_found(code):
    assert formatted_cypher(code, "server/search.py") != []


@pytest.mark.parametrize(
    "code",
    [
        'database.read(cypher.load("papers/count"), collection=collection)',
        'database.read(cypher.load("papers/count", slot), collection=collection)',
        'database.read(cypher.gathered("papers/count", slot), collection=collection)',
        'database.read(cypher.load("papers/count", searched.slot), collection=collection)',
        'self._database.run_alone(cypher.load("papers/count"))',
        "database.read(cypher.load(QUERY))",
        'database.read(cypher.load("papers/count") if x else cypher.load("papers/list"))',
        "transaction.run(statement)",
        "session.run(Query(typed, timeout=5.0))",
        'database.transact(f"write {key}", work)',
        "asyncio.run(main())",
        'subprocess.run(["java", f"-Xmx{heap}m"])',
        "file.read(1 << 20)",
        'log.write(f"{line}")',
        'def f():\n    text = f"{x}"\n    log.write(text)',
        'def f(file: IO[str]):\n    file.read("x")',
    ],
)
def test_code_that_only_runs_loaded_files_and_other_things_passes(code):
    assert formatted_cypher(code, "server/search.py") == []
