#!/usr/bin/env node
import { backupCommand } from './backup.ts';
import { clockCommand } from './clock.ts';
import { clusterCommand } from './cluster.ts';
import { copyCommand } from './copy.ts';
import { doorsCommand } from './doors.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { queriesCommand } from './queries.ts';
import { replayCommand } from './replay.ts';
import { restoreCommand } from './restore.ts';
import { runCommands } from './run-commands.ts';
import { serveCommand } from './serve.ts';
import { tokenCommand } from './token.ts';
import { verifyCommand } from './verify.ts';
import { workspaceCommand } from './workspace.ts';

runCommands([
  serveCommand,
  tokenCommand,
  workspaceCommand,
  importCommand,
  exportCommand,
  replayCommand,
  copyCommand,
  backupCommand,
  restoreCommand,
  clockCommand,
  queriesCommand,
  doorsCommand,
  clusterCommand,
  verifyCommand,
]);
