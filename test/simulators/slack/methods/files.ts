import { type Args, required } from '../args.ts';
import { channelWith, fullFile, sharesOf } from '../files.ts';
import { type Accepted, record, Refusal, type World } from '../world.ts';

/** Deletes a file of the bot's own, wherever it was shown. */
export function filesDelete(world: World, args: Args): Accepted {
  const known = world.state.files.get(required(args, 'file'));
  if (!known) throw new Refusal('file_not_found');
  if (known.file.deleted) throw new Refusal('file_deleted');
  if (known.file.user !== world.identity.botUserId) throw new Refusal('cant_delete_file');
  record(world, { kind: 'file', file: { ...known.file, deleted: true }, content: '' });
  return { ok: true };
}

/**
 * All that Slack knows of a file, also of one that messages of another company name alone. Where it is shared is told some time
 * after `files.completeUploadExternal` has taken it (slackapi/bolt-js#2115): here, from the second time on that it is asked.
 */
export function filesInfo(world: World, args: Args): Accepted {
  const id = required(args, 'file');
  const known = world.state.files.get(id);
  if (!known) throw new Refusal('file_not_found');
  if (known.file.deleted) throw new Refusal('file_deleted');
  const channel = channelWith(world, id);
  const own = known.file.user === world.identity.botUserId;
  if (!channel && !own) throw new Refusal('file_not_found');
  const early = own && !world.filesAskedFor.has(id);
  world.filesAskedFor.add(id);
  return {
    ok: true,
    file: { ...fullFile(world, known.file, channel), shares: early ? {} : sharesOf(world, id) },
    comments: [],
    response_metadata: { next_cursor: '' },
  };
}
