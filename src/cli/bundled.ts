#!/usr/bin/env node
// What scripts/bundle.js puts in the place of pitwall.js.
import { fileURLToPath } from 'node:url';
import { runFile } from '../compiled/run-file.ts';
import { asksToServe } from './asks-to-serve.ts';

const bundle = fileURLToPath(new URL('../bundle/', import.meta.url));
runFile(bundle, asksToServe(process.argv.slice(2)) ? 'serving.cjs' : 'pitwall.cjs');
