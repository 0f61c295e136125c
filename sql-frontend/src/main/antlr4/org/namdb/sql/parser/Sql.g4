grammar Sql;

statements: EOF;

BLANK: [ \t\r\n]+ -> skip;
