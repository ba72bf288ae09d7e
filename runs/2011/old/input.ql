1 Q0 a 1 2 tag
2 Q0 a 1 2 tag
