import type { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { print } from './output.ts';

export function addVersion(program: Command): void {
  program
    .command('version')
    .description('print the version')
    .action(() => print(`${packageJson.productName} ${packageJson.version}\n`));
}
