"""Results to tables; all wording of titles, columns and notes is here."""
