"""A paper to export."""

PAPER = r"""---
title: "Waves: a *first* look"
authors: [Ada Lovelace, 'Kurt Gödel']
year: 1931
arxiv: 2401.01230
categories: [physics.ao-ph]
license: CC-BY-4.0
abstract: Told in the front matter alone.
---

# Waves: a *first* look

Words before any heading, more of them than fit into a single chunk of the few tokens that a chunk may have here.

## C# and a_b_ of `x` [1]

- one item
- another item
  with a second line

The energy is
$$
E = m c^2
$$
as [1] says.

### Data & results #

| Sea | Height |
|---|---|
| North | 1 |
| South | 2 |
| East | 3 |
| West | 4 |
| Far away | 5 |

Table 1: Heights of waves.

    # code, no heading
    more code

```
# neither here

## nor here
```

![Waves at sea.](waves.png)

## References

[1] Einstein. Energy. 1905. doi:10.1000/energy

[2] Noether. Invariants. arXiv:physics/0503066.
"""
