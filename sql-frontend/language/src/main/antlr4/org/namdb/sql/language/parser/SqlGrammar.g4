// The grammar of NamDB's SQL, a part of PostgreSQL's.
//
// The tokens come from SqlScanner, which the shell uses too, and TokenReader. What needs more than one token of lookahead in PostgreSQL's
// grammar is told apart there, in one pass over the tokens of a statement:
//   QUERY_LPAREN  a parenthesis around a query
//   BETWEEN_AND   the AND that belongs to a BETWEEN
//   POSITION_IN   the IN of POSITION(a IN b)
// So nearly every decision takes one token, and no input makes the parser look ahead for long.
parser grammar SqlGrammar;

options {
    superClass = NestingLimitedParser;
}

tokens {
    // Keywords, from ABORT to ZONE: Keywords takes its list from here.
    ABORT, ALWAYS, CACHE, CYCLE, GENERATED, IDENTITY, INCREMENT, MAXVALUE, MINVALUE, OVERRIDING, OWNED, RESTART, SEQUENCE, SYSTEM, VALUE, VIEW,
    CLOSE, CURSOR, DECLARE, MOVE, UNLISTEN,
    ACTION, ADD, ALL, ALTER, ANALYZE, AND, ANY, ARRAY, AS, ASC, ASYMMETRIC, AT, AUTHORIZATION, BACKUP, BEGIN, BETWEEN, BINARY, BOTH, BY,
    BYTES, CALL, CASCADE, CASE, CAST, CHAR, CHARACTER, CHARACTERISTICS, CHECK, COLLATE, COLUMN, COMMENT, COMMIT, COMMITTED, CONCURRENTLY, CONFLICT,
    CONSTRAINT, COPY, CREATE, CROSS, CURRENT, CURRENT_CATALOG, CURRENT_DATE, CURRENT_ROLE, CURRENT_SCHEMA, CURRENT_TIME, CURRENT_TIMESTAMP,
    CURRENT_USER, DAY, DEALLOCATE, DEFAULT, DEFERRABLE, DELETE, DESC, DISCARD, DISTINCT, DO, DOUBLE, DROP, ELSE, END, ESCAPE, EXCEPT, EXECUTE,
    EXISTS, EXPLAIN, EXTRACT, FALSE, FETCH, FILTER, FIRST, FOLLOWING, FOR, FOREIGN, FREEZE, FROM, FULL, GRANT, GROUP, GROUPS, HAVING, HOUR, IF, ILIKE, IN,
    INDEX, INITIALLY, INNER, INSERT, INTERSECT, INTERVAL, INTO, IS, ISNULL, ISOLATION, JOIN, KEY, LAST, LATERAL, LEADING, LEFT, LEVEL,
    LIKE, LIMIT, LOCAL, LOCALTIME, LOCALTIMESTAMP, LOCKED, MINUTE, MONTH, NAMES, NATURAL, NEXT, NO, NOT, NOTHING, NOTNULL, NOWAIT, NULL, NULLS, OF, OFFSET,
    ON, ONLY, OR, ORDER, OUTER, OVER, OVERLAPS, OVERLAY, OWNER, PARTITION, PLACING, POSITION, PRECEDING, PRECISION, PREPARE, PRIMARY, RANGE, READ, REFERENCES, RELEASE,
    RENAME, REPEATABLE, RESET, RESTRICT, RETURNING, REVOKE, RIGHT, ROLE, ROLLBACK, ROW, ROWS, SAVEPOINT, SECOND, SELECT, SERIALIZABLE, SESSION,
    SESSION_USER, SET, SHARE, SHOW, SIMILAR, SKIP, SNAPSHOT, SOME, START, STDIN, STDOUT, SUBSTRING, SYMMETRIC, TABLE, TABLESAMPLE, THEN, TIME,
    TIMESTAMP, TO, TRAILING, TRANSACTION, TRIM, TRUE, TRUNCATE, TYPE, UNBOUNDED, UNCOMMITTED, UNION, UNIQUE, UNKNOWN, UPDATE, USER, USING, VACUUM, VALIDATE, VALUES,
    VARIADIC, VARYING, VERBOSE, VERBS, WHEN, WHERE, WINDOW, WITH, WITHIN, WITHOUT, WORK, WRITE, YEAR, ZONE,

    // Names, literals and parameters.
    IDENTIFIER, QUOTED_IDENTIFIER, STRING, INTEGER, DECIMAL, FLOAT, PARAMETER,

    // Signs.
    LPAREN, QUERY_LPAREN, RPAREN, LBRACKET, RBRACKET, COMMA, SEMICOLON, DOT, COLON, CAST_TO, PLUS, MINUS, STAR, SLASH, PERCENT, CARET,
    CONCAT, MATCHES, EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, BETWEEN_AND, POSITION_IN,

    // What no rule has, so that the parser stops there and says why.
    OTHER_OPERATOR, MIXED_PARAMETER, TRAILING_JUNK, EMPTY_NAME, UNTERMINATED_STRING, UNTERMINATED_DOLLAR_STRING, UNTERMINATED_NAME,
    UNTERMINATED_COMMENT, STRAY_CHARACTER
}

// ---------------------------------------------------------------------------------------------------------------- Statements

oneStatement: statement (SEMICOLON | EOF);

oneExpression: expression EOF;

statement
    : preparable
    | createTableAs
    | createTable | dropTable | createIndex | dropIndex | alterIndex | alterTable | truncate
    | createSequence | alterSequence | dropSequence | createView | alterView | dropView
    | createRole | alterRole | dropRole | grant | revoke | comment
    | begin | commit | rollback | savepoint | release
    | setTransaction | setCharacteristics | setVariable | setConstraints | resetVariable | show
    | prepare | execute | deallocate | discard | procedureCall
    | declareCursor | fetchCursor | closeCursor | unlisten
    | copy | explain | analyze | backup
    ;

preparable: withClause? (plainQuery | insert | update | delete);

// ------------------------------------------------------------------------------------------------------------------- Queries

query: withClause? plainQuery;

// WITH RECURSIVE.
withClause: WITH recursive=IDENTIFIER? commonTable (COMMA commonTable)*;

// AS MATERIALIZED.
commonTable
    : name nameList? AS (NOT? materialized=IDENTIFIER)? (queryInParentheses | LPAREN (insert | update | delete) RPAREN)
    ;

plainQuery: queryBody (ORDER BY sortKey (COMMA sortKey)*)? queryEnd*;

queryInParentheses: QUERY_LPAREN query RPAREN;

queryBody: queryTerm (setOperator queryTerm)*;

setOperator: (UNION | EXCEPT) (ALL | DISTINCT)?;

queryTerm: queryPrimary (intersect queryPrimary)*;

intersect: INTERSECT (ALL | DISTINCT)?;

queryPrimary: select | values | TABLE tableName | queryInParentheses;

select
    : SELECT (DISTINCT distinctOn? selectItem (COMMA selectItem)* | ALL? (selectItem (COMMA selectItem)*)?) fromClause? whereClause?
      (GROUP BY groupItem (COMMA groupItem)*)? (HAVING having=expression)?
      (WINDOW namedWindow (COMMA namedWindow)*)?
    ;

// ROLLUP and CUBE are parsed as calls.
groupItem
    : name name LPAREN groupItem (COMMA groupItem)* RPAREN                # groupingSets
    | LPAREN RPAREN                                                       # groupOfAll
    | expression                                                          # groupKey
    ;

distinctOn: ON LPAREN expression (COMMA expression)* RPAREN;

namedWindow: name AS LPAREN windowDefinition RPAREN;

values: VALUES valuesRow (COMMA valuesRow)*;

// The second form is for ((SELECT ..)): one scalar query.
valuesRow: LPAREN expression (COMMA expression)* RPAREN | QUERY_LPAREN queryInParentheses RPAREN;

selectItem
    : STAR                                    # everything
    | name DOT STAR                           # everythingOf
    | expression (AS label | bareLabel)?      # selectValue
    ;

fromClause: FROM source (COMMA source)*;

whereClause: WHERE expression;

source: sourcePrimary joined*;

joined
    : CROSS JOIN sourcePrimary                                            # crossJoin
    | NATURAL joinKind? JOIN sourcePrimary                                # naturalJoin
    | joinKind? JOIN source (ON expression | USING nameList)              # conditionalJoin
    ;

joinKind: INNER | (LEFT | RIGHT | FULL) OUTER?;

sourcePrimary
    : tableName sourceAlias?                  # tableSource
    | LATERAL? functionName LPAREN (expression (COMMA expression)*)? RPAREN ordinality? sourceAlias?    # functionSource
    | LATERAL? queryInParentheses sourceAlias?         # querySource
    | LPAREN source RPAREN                    # sourceInParentheses
    ;

// WITH ORDINALITY.
ordinality: WITH IDENTIFIER;

sourceAlias: (AS name | bareLabel) nameList?;

sortKey: expression (ASC | DESC)? (NULLS (FIRST | LAST))?;

queryEnd
    : LIMIT (ALL | expression)                                            # limit
    | OFFSET expression (ROW | ROWS)?                                     # offset
    | FETCH (FIRST | NEXT) expression? (ROW | ROWS) ONLY                  # fetch
    | FOR (UPDATE | NO KEY UPDATE | SHARE | KEY SHARE) (OF tableName (COMMA tableName)*)? (NOWAIT | SKIP LOCKED)?   # forUpdate
    ;

// ------------------------------------------------------------------------------------------------------- Changes of the rows

insert
    : INSERT INTO tableName (AS name)? nameList? overriding? (query | DEFAULT VALUES) onConflict? returning?
    ;

overriding: OVERRIDING (SYSTEM | USER) VALUE;

onConflict
    : ON CONFLICT (nameList | ON CONSTRAINT name)? DO (NOTHING | UPDATE SET assignment (COMMA assignment)* whereClause?)
    ;

update
    : UPDATE tableName (AS name | bareLabel)? SET assignment (COMMA assignment)* fromClause? whereClause? returning?
    ;

delete
    : DELETE FROM tableName (AS name | bareLabel)? (USING source (COMMA source)*)? whereClause? returning?
    ;

assignment
    : name (DOT name)? (LBRACKET element=expression RBRACKET)? EQUAL value=expression       # assignOne
    | nameList EQUAL expression               # assignRow
    ;

returning: RETURNING selectItem (COMMA selectItem)*;

copy
    : COPY (BINARY? tableName nameList? | queryInParentheses) (FROM | TO) (file=STRING | STDIN | STDOUT)
      (USING delimiters=IDENTIFIER delimiter=STRING)? WITH? copyOptions?
    ;

copyOptions
    : LPAREN copyOption (COMMA copyOption)* RPAREN
    | oldCopyOption+
    ;

copyOption: optionName optionValue?;

oldCopyOption: optionName (AS? STRING)?;

optionName: name | ANALYZE | BINARY | FREEZE | NULL | VERBOSE;

optionValue: STRING | MINUS? number | label | STAR;

number: INTEGER | DECIMAL | FLOAT;

// --------------------------------------------------------------------------------------------------------------- Definitions

createTable: CREATE temporary? TABLE ifNotExists? tableName LPAREN (tableElement (COMMA tableElement)*)? RPAREN tableOptions? onCommit?;

// WITH NO DATA.
createTableAs
    : CREATE temporary? TABLE ifNotExists? tableName nameList? tableOptions? onCommit? AS query (WITH NO? IDENTIFIER)?
    ;

// [LOCAL | GLOBAL] TEMP | TEMPORARY.
temporary: (LOCAL | IDENTIFIER)? IDENTIFIER;

// ON COMMIT PRESERVE ROWS, DELETE ROWS or DROP.
onCommit: ON COMMIT (DROP | (DELETE | IDENTIFIER) ROWS);

ifNotExists: IF NOT EXISTS;

ifExists: IF EXISTS;

tableElement: columnDefinition | tableConstraint notValid? | tableLike;

tableLike: LIKE tableName likeOption*;

// INCLUDING or EXCLUDING, and what.
likeOption: how=IDENTIFIER (ALL | name);

columnDefinition: name typeName columnConstraint*;

columnConstraint: (CONSTRAINT name)? columnRule;

columnRule
    : NOT NULL                                # notNull
    | NULL                                    # nullable
    | DEFAULT expression                      # defaultValue
    | PRIMARY KEY                             # columnPrimaryKey
    | UNIQUE                                  # columnUnique
    | CHECK LPAREN expression RPAREN          # columnCheck
    | REFERENCES reference                    # columnReference
    | GENERATED generation AS IDENTITY (LPAREN sequenceOption+ RPAREN)?    # columnIdentity
    | GENERATED generation AS LPAREN expression RPAREN stored=IDENTIFIER   # columnGenerated
    ;

generation: ALWAYS | BY DEFAULT;

tableConstraint: (CONSTRAINT name)? tableRule;

tableRule
    : PRIMARY KEY nameList                            # primaryKey
    | UNIQUE nameList                                 # unique
    | CHECK LPAREN expression RPAREN                  # check
    | FOREIGN KEY nameList REFERENCES reference       # foreignKey
    ;

// NOT VALID.
notValid: NOT IDENTIFIER;

reference: tableName nameList? matching? referenceAction* deferral*;

// When it is checked: DEFERRED or IMMEDIATE.
deferral: NOT? DEFERRABLE | INITIALLY name;

// MATCH SIMPLE, FULL or PARTIAL.
matching: IDENTIFIER (IDENTIFIER | FULL);

referenceAction: ON (DELETE | UPDATE) (NO ACTION | RESTRICT | CASCADE | SET NULL | SET DEFAULT);

tableOptions: WITH LPAREN tableOption (COMMA tableOption)* RPAREN;

tableOption: label (DOT label)? (EQUAL optionValue)?;

dropTable: DROP TABLE ifExists? tableName (COMMA tableName)* dropBehaviour?;

dropBehaviour: CASCADE | RESTRICT;

createIndex
    : CREATE UNIQUE? INDEX (ifNotExists? name)? ON tableName (USING name)? LPAREN indexColumn (COMMA indexColumn)* RPAREN
      tableOptions?
    ;

// With an operator class.
indexColumn: name operators=name? ASC? (NULLS LAST)?;

dropIndex: DROP INDEX ifExists? tableName (COMMA tableName)* dropBehaviour?;

alterIndex: ALTER INDEX ifExists? tableName RENAME TO name;

alterTable: ALTER TABLE ifExists? ONLY? tableName (rename | change (COMMA change)*);

rename
    : RENAME TO name                          # renameTable
    | RENAME CONSTRAINT name TO name          # renameConstraint
    | RENAME COLUMN? name TO name             # renameColumn
    ;

change
    : ADD COLUMN? ifNotExists? columnDefinition               # addColumn
    | ADD tableConstraint notValid?                           # addConstraint
    | VALIDATE CONSTRAINT name                                # validateConstraint
    | DROP COLUMN? ifExists? name dropBehaviour?              # dropColumn
    | DROP CONSTRAINT ifExists? name dropBehaviour?           # dropConstraint
    | ALTER COLUMN? name SET DEFAULT expression               # setDefault
    | ALTER COLUMN? name DROP DEFAULT                         # dropDefault
    | ALTER COLUMN? name (SET | DROP) NOT NULL                # setNotNull
    | ALTER COLUMN? name (SET data=IDENTIFIER)? TYPE typeName (USING expression)?    # changeType
    | ALTER COLUMN? name ADD GENERATED generation AS IDENTITY (LPAREN sequenceOption+ RPAREN)?    # addIdentity
    | ALTER COLUMN? name identityChange+                      # changeIdentity
    | ALTER COLUMN? name DROP IDENTITY ifExists?              # dropIdentity
    | OWNER TO roleName                                       # changeOwner
    | SET LPAREN tableOption (COMMA tableOption)* RPAREN      # setOptions
    ;

identityChange: SET GENERATED generation | SET sequenceOption | RESTART (WITH? signedInteger)?;

createSequence: CREATE SEQUENCE ifNotExists? tableName sequenceOption*;

alterSequence: ALTER SEQUENCE ifExists? tableName (sequenceOption+ | RENAME TO name | OWNER TO roleName);

dropSequence: DROP SEQUENCE ifExists? tableName (COMMA tableName)* dropBehaviour?;

sequenceOption
    : AS typeName                                             # sequenceType
    | INCREMENT BY? signedInteger                             # sequenceIncrement
    | (MINVALUE | MAXVALUE) signedInteger                     # sequenceBound
    | NO (MINVALUE | MAXVALUE | CYCLE)                        # sequenceWithout
    | START WITH? signedInteger                               # sequenceStart
    | RESTART (WITH? signedInteger)?                          # sequenceRestart
    | CACHE signedInteger                                     # sequenceCache
    | CYCLE                                                   # sequenceCycle
    | OWNED BY tableName                                      # sequenceOwner
    | SEQUENCE IDENTIFIER tableName                           # sequenceName
    ;

signedInteger: (PLUS | MINUS)? INTEGER;

// OR REPLACE.
createView: CREATE (OR name)? VIEW tableName nameList? AS query;

alterView: ALTER VIEW ifExists? tableName (RENAME TO name | OWNER TO roleName);

dropView: DROP VIEW ifExists? tableName (COMMA tableName)* dropBehaviour?;

// A user is a role that may log in.
createRole: CREATE (USER | ROLE) name WITH? roleOption*;

alterRole: ALTER (USER | ROLE) roleName WITH? roleOption+;

// LOGIN, PASSWORD 'secret', CONNECTION LIMIT 3; VALID UNTIL and ENCRYPTED PASSWORD come as two of them.
roleOption: IDENTIFIER (STRING | NULL | LIMIT signed)?;

dropRole: DROP (USER | ROLE) ifExists? name (COMMA name)*;

roleName: GROUP? name | CURRENT_USER | CURRENT_ROLE | SESSION_USER;

// Privileges on objects; without ON, membership in roles.
grant: GRANT granted (COMMA granted)* (ON grantTarget)? TO roleName (COMMA roleName)* grantOption?;

revoke: REVOKE (GRANT name FOR)? granted (COMMA granted)* (ON grantTarget)? FROM roleName (COMMA roleName)* dropBehaviour?;

granted: ALL name? nameList? | (SELECT | REFERENCES | CREATE | name) nameList?;

grantTarget
    : TABLE? tableName (COMMA tableName)*                     # grantOnTables
    | ALL name IN name name (COMMA name)*                     # grantOnAll
    | name grantObject (COMMA grantObject)*                   # grantOnObjects
    ;

grantObject: functionName (LPAREN (routineArgument (COMMA routineArgument)*)? RPAREN)?;

routineArgument: IN? typeName | (IN | direction=IDENTIFIER)? plainName typeName;

// WITH GRANT OPTION and WITH ADMIN OPTION.
grantOption: WITH (GRANT | name) name;

comment: COMMENT ON commentTarget IS (STRING | NULL);

commentTarget
    : (TABLE | INDEX | VIEW | SEQUENCE) tableName             # commentOnRelation
    | COLUMN tableName                                        # commentOnColumn
    | CONSTRAINT name ON tableName                            # commentOnConstraint
    | name grantObject                                        # commentOnObject
    ;

truncate: TRUNCATE TABLE? tableName (COMMA tableName)* identities? dropBehaviour?;

// RESTART or CONTINUE IDENTITY.
identities: (RESTART | IDENTIFIER) IDENTITY;

// ------------------------------------------------------------------------------------------------- Transactions and settings

begin
    : BEGIN (WORK | TRANSACTION)? transactionModes?
    | START TRANSACTION transactionModes?
    ;

transactionModes: transactionMode (COMMA? transactionMode)*;

transactionMode
    : ISOLATION LEVEL isolationLevel          # isolation
    | READ ONLY                               # readOnly
    | READ WRITE                              # readWrite
    | NOT? DEFERRABLE                         # deferrable
    ;

isolationLevel: SERIALIZABLE | REPEATABLE READ | READ COMMITTED | READ UNCOMMITTED | SNAPSHOT;

commit: (COMMIT | END) (WORK | TRANSACTION)? chain?;

rollback: (ROLLBACK | ABORT) (WORK | TRANSACTION)? (TO SAVEPOINT? name | chain)?;

// AND [NO] CHAIN.
chain: AND NO? IDENTIFIER;

savepoint: SAVEPOINT name;

release: RELEASE SAVEPOINT? name;

setTransaction: SET (LOCAL | SESSION)? TRANSACTION transactionModes;

setCharacteristics: SET SESSION CHARACTERISTICS AS TRANSACTION transactionModes;

setVariable: SET (LOCAL | SESSION)? variableValue;

// SET CONSTRAINTS ALL DEFERRED, and by names.
setConstraints: SET name (ALL | tableName (COMMA tableName)*) name;

variableValue
    : TIME ZONE settingValue                                              # setTimeZone
    | NAMES settingValue                                                  # setNames
    | ROLE settingValue                                                   # setRole
    | AUTHORIZATION settingValue                                          # setAuthorization
    | settingName (TO | EQUAL) settingValue (COMMA settingValue)*         # setSetting
    ;

settingName: name (DOT name)*;

settingValue: STRING | (PLUS | MINUS)? number | label;

resetVariable: RESET (ALL | TRANSACTION ISOLATION LEVEL | TIME ZONE | SESSION AUTHORIZATION | settingName);

show: SHOW (ALL | TRANSACTION ISOLATION LEVEL | TIME ZONE | settingName);

prepare: PREPARE name (LPAREN typeName (COMMA typeName)* RPAREN)? AS preparable;

execute: EXECUTE name (LPAREN expression (COMMA expression)* RPAREN)?;

procedureCall: CALL functionName LPAREN (expression (COMMA expression)*)? RPAREN;

deallocate: DEALLOCATE PREPARE? (ALL | name);

// DISCARD ALL, and parts of it, of which there is nothing to discard.
discard: DISCARD (ALL | name);

// DECLARE name [BINARY] [INSENSITIVE] [[NO] SCROLL] CURSOR [WITH HOLD | WITHOUT HOLD] FOR query.
declareCursor: DECLARE name cursorOption* CURSOR ((WITH | WITHOUT) name)? FOR query;

cursorOption: BINARY | NO? IDENTIFIER;

// The direction, FROM or IN, and the cursor's name, which all may be the same words.
fetchCursor: (FETCH | MOVE) fetchPart+;

fetchPart: FROM | IN | ALL | (PLUS | MINUS)? INTEGER | name;

closeCursor: CLOSE (ALL | name);

// There is no LISTEN: it has nothing to do.
unlisten: UNLISTEN (STAR | name);

backup: BACKUP TO STRING;

// ANALYZE, and VACUUM, of which only ANALYZE is something to do.
analyze
    : (ANALYZE | VACUUM) analyzeWord* (LPAREN analyzeOption (COMMA analyzeOption)* RPAREN)? (analyzed (COMMA analyzed)*)?
    ;

analyzeWord: ANALYZE | FREEZE | FULL | VERBOSE;

analyzeOption: (optionName | FULL) optionValue?;

analyzed: tableName nameList?;

explain: EXPLAIN explainOptions? (preparable | execute);

explainOptions
    : ANALYZE? VERBS                                                  # explainWords
    | ANALYZE                                                         # explainWords
    | LPAREN explainOption (COMMA explainOption)* RPAREN              # explainList
    ;

explainOption: optionName optionValue?;

// --------------------------------------------------------------------------------------------------------------- Expressions

// From the tightest operator to the loosest.
expression
    : primary                                                                                     # operand
    | expression CAST_TO typeName                                                                 # castTo
    | expression LBRACKET lower=expression? (COLON upper=expression?)? RBRACKET                   # subscript
    | expression COLLATE name (DOT label)*                                                        # collate
    | operator=(PLUS | MINUS) expression                                                          # unary
    | expression AT TIME ZONE expression                                                          # atZone
    | expression operator=CARET expression                                                        # binary
    | expression operator=(STAR | SLASH | PERCENT) expression                                     # binary
    | expression operator=(PLUS | MINUS) expression                                               # binary
    | operator=MATCHES expression                                                                 # unary
    | expression operator=(CONCAT | MATCHES) expression                                           # binary
    | expression operator=MATCHES (ANY | SOME | ALL) queryInParentheses                           # quantified
    | expression operator=MATCHES (ANY | SOME | ALL) LPAREN expression RPAREN                     # quantifiedArray
    | expression ESCAPE expression                                                                # escape
    | expression NOT? BETWEEN (ASYMMETRIC | SYMMETRIC)? expression BETWEEN_AND expression                       # between
    | expression NOT? IN queryInParentheses                                                       # inQuery
    | expression NOT? IN LPAREN expression (COMMA expression)* RPAREN                             # inList
    | expression NOT? operator=(LIKE | ILIKE) (ANY | SOME | ALL) queryInParentheses               # quantified
    | expression NOT? operator=(LIKE | ILIKE) (ANY | SOME | ALL) LPAREN expression RPAREN         # quantifiedArray
    | expression NOT? operator=(LIKE | ILIKE) expression                                          # like
    | expression NOT? SIMILAR TO expression                                                       # similar
    | expression OVERLAPS expression                                                              # overlaps
    | expression operator=(EQUAL | NOT_EQUAL | LESS | LESS_EQUAL | GREATER | GREATER_EQUAL) (ANY | SOME | ALL) queryInParentheses   # quantified
    | expression operator=(EQUAL | NOT_EQUAL | LESS | LESS_EQUAL | GREATER | GREATER_EQUAL) (ANY | SOME | ALL) LPAREN expression RPAREN    # quantifiedArray
    | expression operator=(EQUAL | NOT_EQUAL | LESS | LESS_EQUAL | GREATER | GREATER_EQUAL) expression   # comparison
    | expression IS NOT? NULL                                                                     # isNull
    | expression operator=(ISNULL | NOTNULL)                                                      # isNullWord
    | expression IS NOT? truth=(TRUE | FALSE | UNKNOWN)                                           # isTruth
    | expression IS NOT? DISTINCT FROM expression                                                 # isDistinct
    | operator=NOT expression                                                                     # unary
    | expression operator=AND expression                                                          # binary
    | expression operator=OR expression                                                           # binary
    ;

primary
    : literal=(NULL | TRUE | FALSE | INTEGER | DECIMAL | FLOAT | STRING)                  # literal
    | PARAMETER                                                                           # parameter
    | name (DOT label)*                                                                   # columnName
    | literalType STRING                                                                  # typedLiteral
    | INTERVAL intervalPrecision? STRING intervalFields?                                  # intervalLiteral
    | functionName LPAREN callArguments? RPAREN (STRING | filter? over?)                # call
    | functionWord (LPAREN INTEGER? RPAREN)?                                              # callWithoutArguments
    | SUBSTRING LPAREN expression substringTail RPAREN                                    # substring
    | POSITION LPAREN expression POSITION_IN expression RPAREN                            # position
    | OVERLAY LPAREN expression PLACING expression FROM expression (FOR expression)? RPAREN   # overlay
    | TRIM LPAREN side=(BOTH | LEADING | TRAILING)? trimArguments RPAREN                  # trim
    | EXTRACT LPAREN (name | STRING) FROM expression RPAREN                               # extract
    | CAST LPAREN expression AS typeName RPAREN                                           # cast
    | CASE caseOperand? when+ (ELSE expression)? END                                      # case
    | EXISTS queryInParentheses                                                           # exists
    | ARRAY queryInParentheses                                                            # arrayQuery
    | ARRAY LBRACKET (expression (COMMA expression)*)? RBRACKET                           # array
    | queryInParentheses                                                                  # scalarQuery
    | LPAREN expression (COMMA expression)* RPAREN (DOT label)?                           # parenthesised
    | ROW LPAREN expression (COMMA expression)* RPAREN                                    # row
    | DEFAULT                                                                             # default
    ;

caseOperand: expression;

when: WHEN expression THEN expression;

// With a string behind it, a call is a literal of a type with a length: DECIMAL(5,2) '1.23'.
callArguments: STAR | (ALL | DISTINCT)? expression (COMMA expression)* (ORDER BY sortKey (COMMA sortKey)*)?;

over: OVER (name | LPAREN windowDefinition RPAREN);

windowDefinition: (PARTITION BY expression (COMMA expression)*)? (ORDER BY sortKey (COMMA sortKey)*)? windowFrame?;

windowFrame: unit=(ROWS | RANGE | GROUPS) (BETWEEN frameBound BETWEEN_AND)? frameBound exclusion?;

// EXCLUDE CURRENT ROW, GROUP, TIES or NO OTHERS.
exclusion: exclude=IDENTIFIER (CURRENT ROW | GROUP | NO? what=IDENTIFIER);

frameBound
    : UNBOUNDED side=(PRECEDING | FOLLOWING)
    | CURRENT ROW
    | expression side=(PRECEDING | FOLLOWING)
    ;

filter: FILTER LPAREN WHERE expression RPAREN;

// With commas it is an ordinary call.
substringTail: FROM from=expression (FOR count=expression)? | FOR count=expression | (COMMA expression)*;

trimArguments: FROM text=expression | first=expression (FROM text=expression | (COMMA expression)*);

functionWord
    : CURRENT_DATE | CURRENT_TIME | CURRENT_TIMESTAMP | LOCALTIME | LOCALTIMESTAMP
    | CURRENT_USER | SESSION_USER | USER | CURRENT_ROLE | CURRENT_CATALOG | CURRENT_SCHEMA
    ;

intervalFields: intervalField (TO intervalField)? intervalPrecision?;

intervalField: YEAR | MONTH | DAY | HOUR | MINUTE | SECOND;

intervalPrecision: LPAREN INTEGER RPAREN;

// --------------------------------------------------------------------------------------------------------------------- Types

typeName: typeWords (LPAREN signed BYTES? (COMMA signed)* RPAREN)? timeZone? (ARRAY | (LBRACKET INTEGER? RBRACKET)+)?;

signed: MINUS? INTEGER;

typeWords
    : DOUBLE PRECISION
    | (CHARACTER | CHAR) VARYING
    | name (DOT name)?
    ;

timeZone: (WITH | WITHOUT) TIME ZONE;

// Before a string: DATE '2026-01-31'.
literalType: DOUBLE PRECISION | plainName timeZone?;

// --------------------------------------------------------------------------------------------------------------------- Names

nameList: LPAREN name (COMMA name)* RPAREN;

tableName: name (DOT name)*;

functionName: (plainName DOT)? plainName | LEFT | OVERLAPS | RIGHT;

// Any column or table.
name: IDENTIFIER | QUOTED_IDENTIFIER | bareKeyword | labelKeyword | columnKeyword;

// Any function.
plainName: IDENTIFIER | QUOTED_IDENTIFIER | bareKeyword | labelKeyword;

// Behind AS.
label: name | reservedKeyword;

// Without AS.
bareLabel: IDENTIFIER | QUOTED_IDENTIFIER | bareKeyword | columnKeyword;

// Words that are names too.
bareKeyword
    : ALWAYS | CACHE | CYCLE | GENERATED | IDENTITY | INCREMENT | MAXVALUE | MINVALUE | OVERRIDING | OWNED | RESTART | SEQUENCE | SYSTEM | VALUE | VIEW
    | ABORT | ACTION | ADD | ALTER | BACKUP | BEGIN | BY | BYTES | CALL | CASCADE | CHARACTERISTICS | COMMENT | COMMIT | COMMITTED | CONFLICT | COPY | CURRENT | DEALLOCATE
    | DELETE | DISCARD | DOUBLE | DROP | EXECUTE | EXPLAIN | FIRST | FOLLOWING | GROUPS | IF | INDEX | INSERT | ISOLATION | KEY | LAST | LEVEL | LOCAL | LOCKED | NAMES | NEXT
    | CLOSE | CURSOR | DECLARE | MOVE | UNLISTEN
    | NO | NOTHING | NOWAIT | NULLS | OF | OWNER | PARTITION | PRECEDING | PREPARE | RANGE | READ | RELEASE | RENAME | REPEATABLE | RESET | RESTRICT | REVOKE | ROLE | ROLLBACK | ROWS | SAVEPOINT
    | SERIALIZABLE | SESSION | SHARE | SHOW | SKIP | SNAPSHOT | START | STDIN | STDOUT | TIME | TIMESTAMP | TRANSACTION | TRUNCATE | TYPE
    | UNBOUNDED | UNCOMMITTED | UNKNOWN | UPDATE | VACUUM | VALIDATE | VERBS | WORK | WRITE | ZONE
    ;

// Words that are names too, but not of functions: they have a syntax of their own.
columnKeyword: EXISTS | EXTRACT | INTERVAL | OVERLAY | POSITION | ROW | SUBSTRING | TRIM;

// Words that are names, but not without AS, since they may go on with what stands before them.
labelKeyword
    : AT | CHAR | CHARACTER | DAY | ESCAPE | FILTER | HOUR | MINUTE | MONTH | OVER | PRECISION | SECOND | SET | VARYING | WITHIN | WITHOUT
    | YEAR
    ;

// Words that are no names.
reservedKeyword
    : ALL | ANALYZE | AND | ANY | ARRAY | AS | ASC | ASYMMETRIC | AUTHORIZATION | BETWEEN | BINARY | BOTH | CASE | CAST | CHECK | COLLATE
    | COLUMN | CONCURRENTLY | CONSTRAINT | CREATE | CROSS | CURRENT_CATALOG | CURRENT_DATE | CURRENT_ROLE | CURRENT_SCHEMA | CURRENT_TIME
    | CURRENT_TIMESTAMP | CURRENT_USER | DEFAULT | DEFERRABLE | DESC | DISTINCT | DO | ELSE | END | EXCEPT | FALSE | FETCH | FOR
    | FOREIGN | FREEZE | FROM | FULL | GRANT | GROUP | HAVING | ILIKE | IN | INITIALLY | INNER | INTERSECT | INTO | IS | ISNULL | JOIN
    | LATERAL | LEADING | LEFT | LIKE | LIMIT | LOCALTIME | LOCALTIMESTAMP | NATURAL | NOT | NOTNULL | NULL | OFFSET | ON | ONLY | OR
    | ORDER | OUTER | OVERLAPS | PLACING | PRIMARY | REFERENCES | RETURNING | RIGHT | SELECT | SESSION_USER | SIMILAR | SOME | SYMMETRIC
    | TABLE | TABLESAMPLE | THEN | TO | TRAILING | TRUE | UNION | UNIQUE | USER | USING | VALUES | VARIADIC | VERBOSE | WHEN | WHERE
    | WINDOW | WITH
    ;
