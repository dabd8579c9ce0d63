"""The embedded system: lexical, dense and hybrid search over a folder or the standard library's documentation.

The road of a corpus: `corpus` finds it, `readers` and `formats` turn files into documents (`stdlib` does so for
Python's own modules), `chunker` cuts them, `lexical` and `vectors` index the pieces, `index` keeps what was built.
The road of a query: `lexical` and `dense` retrieve, `fusion` joins, `rerankers` reorder, `system` puts the stages
in a row.
"""
