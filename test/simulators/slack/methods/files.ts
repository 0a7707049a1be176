import { type Args, required } from '../args.ts';
import { channelWith, fullFile } from '../files.ts';
import { type Accepted, record, Refusal, type World } from '../world.ts';

/** All that Slack knows of a file, also of one that messages of another company name alone. */
/** Deletes a file of the bot's own, wherever it was shown. */
export function filesDelete(world: World, args: Args): Accepted {
  const known = world.state.files.get(required(args, 'file'));
  if (!known) throw new Refusal('file_not_found');
  if (known.file.deleted) throw new Refusal('file_deleted');
  if (known.file.user !== world.identity.botUserId) throw new Refusal('cant_delete_file');
  record(world, { kind: 'file', file: { ...known.file, deleted: true }, content: '' });
  return { ok: true };
}

export function filesInfo(world: World, args: Args): Accepted {
  const id = required(args, 'file');
  const known = world.state.files.get(id);
  if (!known) throw new Refusal('file_not_found');
  if (known.file.deleted) throw new Refusal('file_deleted');
  const channel = channelWith(world, id);
  if (!channel) throw new Refusal('file_not_found');
  return {
    ok: true,
    file: fullFile(world, known.file, channel),
    comments: [],
    response_metadata: { next_cursor: '' },
  };
}
