import type { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { checkFormat, print } from './output.ts';

export function addVersion(program: Command): void {
  program
    .command('version')
    .description('print the version')
    .option('-f, --format <format>', 'text or json', 'text')
    .addHelpText('after', '\nExample:\n  dagu version --format json')
    .action((flags: { format: string }) => {
      const { productName: name, version } = packageJson;
      const text = checkFormat(flags.format) === 'json' ? JSON.stringify({ name, version }) : `${name} ${version}`;
      print(`${text}\n`);
    });
}
