import type { Command } from 'commander';
import schema from '../dagu.schema.json' with { type: 'json' };
import { print } from './output.ts';

export function addSchema(program: Command): void {
  program
    .command('schema')
    .description('print the JSON Schema of workflow files, for editors')
    .addHelpText('after', '\nExample:\n  dagu schema > dagu.schema.json')
    .action(() => print(`${JSON.stringify(schema, null, 2)}\n`));
}
