// The bundle of the service: what `pitwall serve` runs, in one file with all that it needs at a start.
import '../main.ts';
import { runCommands } from './run-commands.ts';
import { serveCommand } from './serve.ts';

runCommands([serveCommand]);
