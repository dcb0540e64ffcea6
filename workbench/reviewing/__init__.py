"""A review is a journal of edits; folding the journal gives the verified assessment."""
