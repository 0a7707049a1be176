import type { CardAction, InteractionPayload, Modal } from '../../domain/index.ts';
import type { DiscordFrontStore } from '../../storage/index.ts';

/** Opens the form by which a person changes what an answer filled in. Its args: the draft, and a page. */
export const EDIT_FORM = 'schema.edit-form';
/** Opens the form by which a person says what was wrong with an answer. Its arg: the draft. */
export const COMMENT_FORM = 'feedback.comment-form';

/** Whether a worker drew the form that an action opens; where it is no longer there, a worker says so. */
export const opensDraftForm = ({ name }: Pick<CardAction, 'name'>): boolean =>
  name === EDIT_FORM || name === COMMENT_FORM;

/** What a worker drew for this call, which is about a draft of whoever makes it; undefined for any other call. */
export async function loadDraftedForm(
  payload: InteractionPayload,
  whose: Parameters<DiscordFrontStore['findDraftModal']>[0],
  store: Pick<DiscordFrontStore, 'findDraftModal'>,
): Promise<Modal | undefined> {
  if (payload.kind !== 'action' || !opensDraftForm(payload.action)) return undefined;
  const [id = '', page = '0'] = payload.action.args;
  return store.findDraftModal(whose, id, Number(page));
}
