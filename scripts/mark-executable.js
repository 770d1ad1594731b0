// The compiler writes plain files; the command that package.json names in `bin` has to be executable.
import { chmodSync } from 'node:fs';

chmodSync(new URL('../dist/cli/pitwall.js', import.meta.url), 0o755);
