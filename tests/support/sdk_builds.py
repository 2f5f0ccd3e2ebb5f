"""Clients built from their sources, as tests use them."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.node import node_project
from tests.support.python_environments import told_by


def typescript_client(folder: Path) -> Path:
    """Return a copy of the TypeScript client that is built; skip without Node.js or a registry."""
    project = node_project(Path("sdk/typescript"), folder)
    done = subprocess.run(["npm", "run", "--silent", "build"], cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return project


def installed_tarball(project: Path, folder: Path) -> Path:
    """Return an empty folder in which only the tarball of the TypeScript client is installed."""
    packed = subprocess.run(
        ["npm", "pack", "--silent", "--pack-destination", str(folder)], cwd=project, capture_output=True, text=True
    )
    assert packed.returncode == 0, packed.stderr
    (tarball,) = folder.glob("*.tgz")
    (folder / "package.json").write_text('{"type": "module"}')
    command = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", str(tarball)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def compiled_with_types(project: Path, folder: Path, program: str) -> Path:
    """Return a program for a folder with the tarball, checked by the strict compiler as a user of types runs it."""
    (folder / "example.ts").write_text(program)
    options = ["--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck", "false"]
    command = [project / "node_modules/.bin/tsc", *options, "example.ts"]
    done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    return folder / "example.js"


@dataclass(frozen=True)
class JavaClient:
    """A built Java client.

    Attributes:
        jar: The artefact.
        classpath: The jar, its tests and the libraries that it needs.
    """

    jar: Path
    classpath: str


def java_client(folder: Path) -> JavaClient:
    """Return the built Java client; skip without Maven, Java or a repository."""
    if shutil.which("mvn") is None or shutil.which("javac") is None:
        pytest.skip("there is no mvn or no javac here")
    project = folder / "java"
    shutil.copytree("sdk/java", project, ignore=shutil.ignore_patterns("target"))
    schema = f"-Dpapergraph.schema={Path('schema/openapi.json').absolute()}"
    command = ("mvn", "-q", "-B", schema, "package", "dependency:build-classpath", "-Dmdep.outputFile=target/classpath")
    told_by(*command, folder=project)
    (jar,) = (project / "target").glob("client-*.jar")
    libraries = (project / "target/classpath").read_text().strip()
    return JavaClient(jar, os.pathsep.join([str(jar), str(project / "target/test-classes"), libraries]))


POM = """
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>consumer</groupId><artifactId>consumer</artifactId><version>1</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  {dependency}
  <build><pluginManagement><plugins>{plugins}</plugins></pluginManagement></build>
</project>
"""
SETTINGS = """
<settings>
  <profiles><profile><id>here</id>
    <repositories>
      <repository><id>client</id><url>{client}</url></repository>
      <repository><id>cache</id><url>{cache}</url></repository>
    </repositories>
    <pluginRepositories><pluginRepository><id>cache</id><url>{cache}</url></pluginRepository></pluginRepositories>
  </profile></profiles>
  <activeProfiles><activeProfile>here</activeProfile></activeProfiles>
</settings>
"""


def java_consumer(dependency: str, examples: list[str], client: JavaClient, folder: Path) -> list[str]:
    """Return the command that runs examples in a new Maven project with an empty local repository.

    Args:
        dependency: The element of the README that names the client.
        examples: Statements.
        client: What is offered by a repository of its own, as a jar with its pom.
        folder: Place for all.
    """
    offered = folder / "offered/org/papergraph/client/0.1.0"
    offered.mkdir(parents=True)
    shutil.copy(client.jar, offered / "client-0.1.0.jar")
    shutil.copy("sdk/java/pom.xml", offered / "client-0.1.0.pom")
    packages = ("java.time", "java.util", "org.papergraph.client", "org.papergraph.client.model")
    imports = "".join(f"import {package}.*;\n" for package in packages)
    source = folder / "src/main/java/Example.java"
    source.parent.mkdir(parents=True)
    body = "".join(examples)
    source.write_text(f"{imports}class Example {{ public static void main(String[] a) throws Exception {{\n{body}}} }}")
    plugins = "".join(re.findall("<plugin><artifactId>.*</plugin>", Path("sdk/java/pom.xml").read_text()))
    (folder / "pom.xml").write_text(
        POM.format(dependency=f"<dependencies>{dependency}</dependencies>", plugins=plugins)
    )
    cache = (Path.home() / ".m2/repository").as_uri()
    (folder / "settings.xml").write_text(SETTINGS.format(client=(folder / "offered").as_uri(), cache=cache))
    own = ("-s", folder / "settings.xml", f"-Dmaven.repo.local={folder / 'local'}")
    listing = ("dependency:build-classpath", f"-Dmdep.outputFile={folder / 'classpath'}")
    told_by("mvn", "-q", "-B", *own, "compile", *listing, folder=folder)
    libraries = (folder / "classpath").read_text().strip()
    return ["java", "-cp", os.pathsep.join([str(folder / "target/classes"), libraries]), "Example"]
