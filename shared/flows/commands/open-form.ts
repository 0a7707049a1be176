import type { Form } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import type { Deps, Verdict } from '../ports.ts';
import { type AnyCall, DONE, tell, words } from './run.ts';

/** Where it is too late for a form, the person is told so. */
export async function openForm(called: AnyCall, form: Form, deps: Deps): Promise<Verdict> {
  try {
    await deps.stage.open(called.invocation, form);
    return DONE;
  } catch (error) {
    deps.log('form.unopened', { reason: error instanceof Error ? error.name : 'unknown' });
    return tell(called, words(say(called.locale, 'commands.form-unopened'), 'bad'), deps);
  }
}
