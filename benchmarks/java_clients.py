"""Clients for Java, as ``python -m benchmarks.clients`` measures them: from Maven, each with the libraries it needs."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

OURS = "org.papergraph:client"
PROGRAMS = {
    OURS: """
import org.papergraph.client.Papergraph;
import org.papergraph.client.model.SearchOptions;
Papergraph pg = new Papergraph();
System.out.println(pg.search("tabu search", new SearchOptions().k(3)).hits().get(0).passage());
""",
    "com.openai:openai-java": """
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.vectorstores.VectorStoreSearchParams;
var client = OpenAIOkHttpClient.fromEnv();
var asked = VectorStoreSearchParams.builder().vectorStoreId("vs_papers").query("tabu search").maxNumResults(3).build();
System.out.println(client.vectorStores().search(asked).data().get(0).content().get(0).text());
client.close();
""",
    "io.qdrant:client": """
import io.qdrant.client.*;
import io.qdrant.client.grpc.Points.*;
var client = new QdrantClient(QdrantGrpcClient.newBuilder("127.0.0.1", QDRANT, false).build());
var text = Document.newBuilder().setText("tabu search").setModel("sentence-transformers/all-MiniLM-L6-v2").build();
var asked = QueryPoints.newBuilder().setCollectionName("papers").setQuery(QueryFactory.nearest(text)).setLimit(3);
var found = client.queryAsync(asked.setWithPayload(WithPayloadSelectorFactory.enable(true)).build()).get();
System.out.println(found.get(0).getPayloadMap().get("text").getStringValue());
client.close();
""",
    "io.weaviate:client6": """
import io.weaviate.client6.v1.api.WeaviateClient;
WeaviateClient client = WeaviateClient.connectToLocal(local -> local.port(PORT).grpcPort(GRPC));
var papers = client.collections.use("Papers");
var found = papers.query.nearText("tabu search", query -> query.limit(3));
System.out.println(found.objects().get(0).properties().get("text"));
client.close();
""",
}
"""What a user writes for the first hit, without the class around it; a statement in a line."""

MAIN_CLASSES = {
    OURS: "org.papergraph.client.Papergraph",
    "com.openai:openai-java": "com.openai.client.okhttp.OpenAIOkHttpClient",
    "io.qdrant:client": "io.qdrant.client.QdrantClient",
    "io.weaviate:client6": "io.weaviate.client6.v1.api.WeaviateClient",
}
"""The class that an import names: it is loaded."""

POM = """<project><modelVersion>4.0.0</modelVersion>
<groupId>measured</groupId><artifactId>measured</artifactId><version>1</version>
<dependencies><dependency><groupId>{group}</groupId><artifactId>{artefact}</artifactId><version>[0,)</version>
</dependency></dependencies></project>
"""
QUIET = ("mvn", "--quiet", "--batch-mode")


def install(name: str, folder: Path, places: dict[str, str]) -> tuple[Path, str]:
    """Install a client with its libraries, and compile three programs: ``Empty``, ``Imports`` and ``First``.

    Args:
        name: Group and artefact.
        folder: A place for it, which does not exist.
        places: What stands for the words PORT, GRPC and QDRANT in a program.

    Returns:
        The folder of the jars, and the version.
    """
    group, artefact = name.split(":")
    jars, copying = folder / "jars", ("dependency:copy-dependencies", "-DincludeScope=runtime")
    if name == OURS:
        shutil.copytree("sdk/java", folder, ignore=shutil.ignore_patterns("target"))
        _run([*QUIET, "-Dmaven.test.skip=true", "package", *copying, f"-DoutputDirectory={jars}"], folder)
        (jar,) = (folder / "target").glob("client-*.jar")
        jar = jar.rename(jars / jar.name)
    else:
        folder.mkdir()
        (folder / "pom.xml").write_text(POM.format(group=group, artefact=artefact))
        _run([*QUIET, *copying, f"-DoutputDirectory={jars}"], folder)
        (jar,) = jars.glob(f"{artefact}-[0-9]*.jar")
    lines = PROGRAMS[name].strip().splitlines()
    imports = "".join(line for line in lines if line.startswith("import "))
    first = "".join(line for line in lines if not line.startswith("import "))
    for word, value in places.items():
        first = first.replace(word, value)
    bodies = {"Empty": "", "Imports": f'Class.forName("{MAIN_CLASSES[name]}");', "First": first}
    for program, body in bodies.items():
        head = imports if program == "First" else ""
        source = f"{head}class {program} {{ public static void main(String[] a) throws Exception {{ {body} }} }}"
        (folder / f"{program}.java").write_text(source)
    _run(["javac", "-cp", f"{jars}/*", *(f"{program}.java" for program in bodies)], folder)
    return jars, jar.stem.removeprefix(f"{artefact}-")


def _run(command: Sequence[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
