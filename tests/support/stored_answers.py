"""Stored answers that quote a paper."""

import json

from papergraph import cypher
from papergraph.database import Database


async def store(database: Database, id: str, paper: str, quote: str = "sea rise") -> None:
    cited = {
        "number": 1,
        "chunk_id": "c",
        "paper_id": paper,
        "paper_title": "t",
        "paper_status": None,
        "url": None,
        "section_path": [],
        "file": None,
        "page": None,
        "quote": quote,
        "quoted": True,
        "start": 0,
        "end": 1,
        "answer_start": 0,
        "answer_end": 1,
        "claim_start": 0,
        "claim_end": 1,
    }
    content = {
        "question": "Why?",
        "text": "q [1]",
        "citations": [cited],
        "sources": [],
        "dropped": [],
        "warnings": [],
        "grounded": True,
        "llm_generated": False,
        "model": None,
        "answerability": None,
        "reason": None,
        "message": None,
        "named_query": None,
    }
    told = {"id": id, "collection": "main", "principal": "p", "account": "a", "question": "Why?", "most": 9}
    await database.run_alone(cypher.load("answers/store_answer"), content=json.dumps(content), **told)
