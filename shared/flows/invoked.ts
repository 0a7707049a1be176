import type { InvokedTask } from '../conversation/index.ts';
import type { Deps, Verdict } from './ports.ts';

/** Does what a person called, pressed or filled in. A call that nothing here answers is passed over. */
export function invoked({ invocation: { call } }: InvokedTask, { log }: Deps): Promise<Verdict> {
  log('invoked.unknown', { kind: call.kind });
  return Promise.resolve({ kind: 'done' });
}
