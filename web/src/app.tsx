import { token } from './session.ts';

export function App() {
  return <main>{token.value === '' ? 'Sign in' : 'Streams'}</main>;
}
