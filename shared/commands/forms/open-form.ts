import type { CommandsContext } from '../context.ts';
import type { Modal, TaskResult } from '../../domain/index.ts';
import { localize } from '../../i18n/index.ts';
import { type InteractionRequest, DONE, replyCard, textCard } from '../framework/types.ts';
import { errorName } from '../../utils/index.ts';

/** Opens a modal. If it is too late for that, tells the person. */
export async function openForm(
  request: InteractionRequest,
  form: Modal,
  context: CommandsContext,
): Promise<TaskResult> {
  try {
    await context.messenger.openModal(request.interaction, form);
    return DONE;
  } catch (error) {
    context.log('modal.open-failed', { reason: errorName(error) });
    return replyCard(request, textCard(localize(request.locale, 'commands.form-unopened'), 'bad'), context);
  }
}
