"""The terminal app: shows what the stages return, sends what keys mean."""
