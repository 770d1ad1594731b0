import { clientOptions, createClient } from './client.ts';
import { readArguments, UsageError } from './command.ts';
import type { Expected } from './expected-answer.ts';

/**
 * Asks a service for the answer to one GET, for a command that has no words and no options of its own. Throws a
 * UsageError for a word.
 */
export async function oneAnswer<Answer>(
  argv: readonly string[],
  path: string,
  isExpected: Expected<Answer>,
): Promise<Answer> {
  const { values, positionals } = readArguments(argv, clientOptions);
  if (positionals.length > 0) throw new UsageError(`there is a word too many: '${positionals[0]}'`);
  const client = createClient(values, process.env);
  try {
    return await client.call('GET', path, undefined, isExpected);
  } finally {
    client.close();
  }
}
