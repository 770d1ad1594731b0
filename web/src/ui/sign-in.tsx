import { useState } from 'preact/hooks';
import { createClient } from '../../../src/client/client.ts';
import { isTokenKept, serviceUrl, signedOutBecause, signIn } from '../session.ts';
import { problemText } from './problem-text.ts';

/** Asks for a token and tries it before it is taken. */
export function SignIn() {
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);

  async function onSubmit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const token = String(form.get('token') ?? '').trim();
    setBusy(true);
    setProblem('');
    try {
      await createClient({ url: serviceUrl, token, retry: { attempts: 1 } }).streams({
        paging: { index: 0, length: 1 },
      });
      signIn(token);
    } catch (error) {
      setProblem(problemText(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <main class="sign-in">
      <form onSubmit={onSubmit}>
        <h1>Pitwall</h1>
        {signedOutBecause !== '' && (
          <p class="problem" role="alert">
            {signedOutBecause}
          </p>
        )}
        <p>
          The service printed a token when it started for the first time; <code>pitwall token create</code>{' '}
          makes others.{' '}
          {isTokenKept
            ? 'It is kept until you sign out, or close the last tab of this page.'
            : 'This browser refuses to keep it: it is asked again when the page is loaded anew.'}
        </p>
        <label for="token">Token</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="off"
          required
          aria-invalid={problem !== ''}
          aria-describedby="token-problem"
        />
        <p id="token-problem" class="problem" role="alert">
          {problem}
        </p>
        <button type="submit" class="primary" disabled={busy}>
          {busy ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
