/**
 * Three commands to paste: write a row, find its stream, read the row. `token` is the new token, or undefined for
 * later starts, where the shell's $PITWALL_TOKEN stands in. `now` is in milliseconds since the Unix epoch.
 */
export function firstSteps(url: string, token: string | undefined, now: number): string {
  const reachable = url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  const curl = `curl -H "Authorization: Bearer ${token ?? '$PITWALL_TOKEN'}" -H 'Content-Type: application/json'`;
  const post = (path: string, body: string): string => `  ${curl} ${reachable}${path} -d '${body}'`;
  const nanoseconds = `${now}000000`;
  return [
    'write a row, find its stream, read the row:',
    post(
      '/topics/demo/streams/first/parameters/data',
      `{"timestamps":[${nanoseconds}],"numericValues":{"Speed":[120.5]}}`,
    ),
    post('/streams', '{"streamIds":["first"]}'),
    post('/parameters/data', '{"streamIds":["first"],"numericParameters":[{"parameterName":"Speed"}]}'),
  ].join('\n');
}
