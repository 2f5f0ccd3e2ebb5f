"""Which loggers were handed a key."""

import logging
import re


class Leaks(logging.Handler):
    """Notes which loggers were handed a key whole, at whatever level the tests have them."""

    KEY = re.compile(r"pg_[a-z0-9]{8}_[A-Za-z0-9_-]{43}")
    ON_PURPOSE = "papergraph.test"

    def __init__(self) -> None:
        super().__init__(logging.NOTSET)
        self.loggers: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        told = f"{record.msg} {record.args} {record.exc_info} {vars(record).get('key', '')}"
        if record.name != self.ON_PURPOSE and self.KEY.search(told):
            self.loggers.add(record.name)
