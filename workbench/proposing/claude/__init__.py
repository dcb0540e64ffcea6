"""Claude proposes: what is asked, how a call is made and paced, what an answer means, and what it costs."""
