// Apart from guard.cjs, because an old Node cannot even read a file with import().
void import('../main.ts')
