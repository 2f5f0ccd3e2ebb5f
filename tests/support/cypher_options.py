"""Options that Neo4j takes between ``CYPHER 25`` and a query; the guard takes none."""

DEBUG_VALUES = (
    "ast",
    "disableexistssubquerycaching",
    "disablepropertycaching",
    "generate_java_source",
    "graphviz",
    "inverse_cost",
    "logcostcomparisons",
    "logicalplan",
    "logicalplanbuilder",
    "logplanningsteps",
    "mermaid",
    "printcostcomparisons",
    "printidplog",
    "querygraph",
    "rawcardinalities",
    "renderdistinctness",
    "rendernestedplanexpressions",
    "semanticstate",
    "show_bytecode",
    "show_java_source",
    "tostring",
    "verboseeagernessreasons",
    "visualizepipelines",
    "warnoncompilationerrors",
)
"""Values of option ``debug`` in Neo4j 2026.09; some write to its log, some show its internals as rows."""

OPTIONS = (
    *(f"debug={value}" for value in DEBUG_VALUES),
    *["runtime=slotted", "planner=dp", "replan=force", "operatorEngine=interpreted", "expressionEngine=interpreted"],
    *["connectComponentsPlanner=greedy", "eagerAnalyzer=lp", "inferSchemaParts=off", "interpretedPipesFallback=all"],
)

QUERIES_WITH_OPTIONS = (
    *(f"CYPHER {version} {option} MATCH (p:Paper) RETURN p" for version in (5, 25) for option in OPTIONS),
    "CYPHER 25 debug=ast debug=tostring MATCH (p:Paper) RETURN p",
    "CYPHER 25 debug = ast MATCH (p:Paper) RETURN p",
    "cypher 25 /* a comment */ DEBUG // and another\n = ast MATCH (p:Paper) RETURN p",
    "CYPHER 25 `debug`=ast MATCH (p:Paper) RETURN p",
)
