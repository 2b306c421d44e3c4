SELECT a--x
,"B ""q" /* c */ FROM (select 'x;y');;