/** Whether the service is to run, as these words of the command line say. */
export function asksToServe([word]: readonly string[]): boolean {
  if (word === undefined || word === 'serve') return true;
  return word.startsWith('-') && !['--version', '-v', '--help', '-h'].includes(word);
}
