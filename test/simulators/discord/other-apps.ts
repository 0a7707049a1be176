import type { SimulatorContext } from './context.ts';
import { MESSAGE } from './flags.ts';
import type { Json } from './json.ts';
import { add } from './posting.ts';
import { record } from './record.ts';

export type AppPost = {
  /** A channel or thread. */
  readonly channel: string;
  readonly text?: string;
  /** As Discord stores them: those that an app sends are of the type `rich`, previews of links of others. */
  readonly embeds?: readonly Json[];
};

/** Another app posts in a channel, as those do that report alerts. Returns the id of the message. */
export function postAsOtherApp(context: SimulatorContext, name: string, post: AppPost): string {
  const channel = context.state.channels.get(post.channel);
  if (!channel) throw new Error(`No such channel: ${post.channel}`);
  const username = name.toLowerCase();
  const known = [...context.state.users.values()].find((one) => one.bot && one.username === username);
  const user = known ?? { id: context.ids.next(), username, name, bot: true };
  if (!known) record(context, { kind: 'user', user });
  const id = context.ids.next();
  add(context, channel, {
    id,
    channel: channel.id,
    author: user.id,
    content: post.text ?? '',
    type: MESSAGE.plain,
    flags: 0,
    embeds: (post.embeds ?? []).map((embed) => ({ type: 'rich', ...embed })),
    components: [],
    files: [],
    reactions: [],
    mentions: [],
  });
  return id;
}
