import { type Args, required } from '../args.ts';
import { channelWith, fullFile, sharesOf } from '../files.ts';
import { type ApiSuccess, record, RefusalError, type SimulatorContext } from '../context.ts';

/** Deletes a file of the bot from everywhere. */
export function filesDelete(context: SimulatorContext, args: Args): ApiSuccess {
  const file = context.state.files.get(required(args, 'file'));
  if (!file) throw new RefusalError('file_not_found');
  if (file.file.deleted) throw new RefusalError('file_deleted');
  if (file.file.user !== context.identity.botUserId) throw new RefusalError('cant_delete_file');
  record(context, { kind: 'file', file: { ...file.file, deleted: true }, content: '' });
  return { ok: true };
}

/**
 * All that Slack knows of a file, also of one that messages of another company name alone. Where it is shared is told some time
 * after `files.completeUploadExternal` has taken it (slackapi/bolt-js#2115): here, from the second time on that it is asked.
 */
export function filesInfo(context: SimulatorContext, args: Args): ApiSuccess {
  const id = required(args, 'file');
  const file = context.state.files.get(id);
  if (!file) throw new RefusalError('file_not_found');
  if (file.file.deleted) throw new RefusalError('file_deleted');
  const channel = channelWith(context, id);
  const own = file.file.user === context.identity.botUserId;
  if (!channel && !own) throw new RefusalError('file_not_found');
  const early = own && !context.filesAskedFor.has(id);
  context.filesAskedFor.add(id);
  return {
    ok: true,
    file: { ...fullFile(context, file.file, channel), shares: early ? {} : sharesOf(context, id) },
    comments: [],
    response_metadata: { next_cursor: '' },
  };
}
