import type { Call, Form } from '../../conversation/index.ts';
import type { Inbox } from '../../store/inbox.ts';

/** Opens the form by which a person changes what an answer filled in. Its args: the draft, and a page. */
export const EDIT_FORM = 'schema.edit-form';

/** What a worker drew for this call, which is about a draft of whoever makes it; undefined for any other call. */
export async function draftedFormFor(
  call: Call,
  whose: Parameters<Inbox['draftedForm']>[0],
  inbox: Pick<Inbox, 'draftedForm'>,
): Promise<Form | undefined> {
  if (call.kind !== 'action' || call.action.name !== EDIT_FORM) return undefined;
  const [id = '', page = '0'] = call.action.args;
  return inbox.draftedForm(whose, id, Number(page));
}
