import { computed } from '@preact/signals';
import { RequestError } from '../../../src/client/client.ts';
import { client, isShared } from '../session.ts';
import { loaded } from './loading.ts';
import { soon } from './turns.ts';

/** The list that this asks for needs the scope `write`; of a topic that is not there it is empty. */
const anyTopic = 'any';

const asked = loaded<boolean>(() => {
  const service = client.value;
  if (service === undefined || isShared) return undefined;
  return soon(async (signal) => {
    try {
      await service.calculated(anyTopic, { signal });
      return true;
    } catch (error) {
      if (error instanceof RequestError && error.status === 403) return false;
      throw error;
    }
  });
});

/** Whether the token may only read. */
export const isReadOnly = computed(() => isShared || asked.value.value === false);

/** Whether writing is offered: not before it is known, and where it cannot be known, the service tells. */
export const mayWrite = computed(() => !isShared && (asked.value.value ?? asked.value.error !== undefined));

/** Says why something is not offered. */
export const readOnlyText =
  'Your token may only read. To write, sign in with a token that has the scope “write”.';
