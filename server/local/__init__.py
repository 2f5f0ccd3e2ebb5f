"""Operations that open the store themselves: for commands, for ``papergraph.Library`` and for background processes."""
