"""Clients built from their sources, as tests use them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.node import node_project


def typescript_client(folder: Path) -> Path:
    """Return a copy of the TypeScript client that is built; skip without Node.js or a registry."""
    project = node_project(Path("sdk/typescript"), folder)
    done = subprocess.run(["npm", "run", "--silent", "build"], cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return project


def installed_tarball(project: Path, folder: Path) -> Path:
    """Return a folder in which only the tarball of the TypeScript client is installed."""
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


UNRESOLVED = re.compile("Could not transfer|could not be resolved|Unknown host|PluginResolutionException")


def java_client(folder: Path) -> str:
    """Return the class path of the built Java client with its tests; skip without Maven, Java or a repository."""
    if shutil.which("mvn") is None or shutil.which("javac") is None:
        pytest.skip("there is no mvn or no javac here")
    project = folder / "java"
    shutil.copytree("sdk/java", project, ignore=shutil.ignore_patterns("target"))
    command = ["mvn", "-q", "-B", "package", "dependency:build-classpath", "-Dmdep.outputFile=target/classpath"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    if done.returncode != 0 and UNRESOLVED.search(done.stdout):
        pytest.skip(f"the repository of Maven cannot be reached: {done.stdout[-300:]}")
    assert done.returncode == 0, done.stdout
    (jar,) = (project / "target").glob("client-*.jar")
    libraries = (project / "target/classpath").read_text().strip()
    return os.pathsep.join([str(jar), str(project / "target/test-classes"), libraries])


def java_example(examples: list[str], classpath: str, folder: Path) -> list[str]:
    """Return the command that runs examples of the Java client, against its jar and libraries only."""
    jar, _, libraries = classpath.split(os.pathsep, 2)
    packages = ("java.time", "java.util", "org.papergraph.client", "org.papergraph.client.model")
    imports = "".join(f"import {package}.*;\n" for package in packages)
    source = folder / "Example.java"
    body = "".join(examples)
    source.write_text(f"{imports}class Example {{ public static void main(String[] a) throws Exception {{\n{body}}} }}")
    return ["java", "-cp", os.pathsep.join([jar, libraries]), str(source)]
