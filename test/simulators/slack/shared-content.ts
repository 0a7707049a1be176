import type { SimulatorContext } from './context.ts';
import { fullFile } from './files.ts';
import { personOf } from './identity.ts';
import { find } from './interactions.ts';
import { linkOf } from './methods/posting.ts';
import { blocksOf } from './present.ts';
import type { Json } from './state.ts';
import { richText } from './typed-text.ts';

export type SharedContent = {
  /** The ts of a message that the person sees, which is forwarded there. */
  readonly forward?: string | undefined;
  /** The cells of a table that is pasted below the text. */
  readonly table?: readonly (readonly string[])[] | undefined;
};

/**
 * What Slack attaches to a message of a person: neither is in its text or files. Shapes as in reports from live workspaces:
 * NousResearch/hermes-agent#96384 (forwarded messages), vercel/chat#803 (tables).
 */
export function attachmentsOf(
  context: SimulatorContext,
  user: string,
  { forward, table }: SharedContent,
): Json[] {
  return [
    ...(forward === undefined ? [] : [forwarded(context, user, forward)]),
    ...(table === undefined ? [] : [pasted(table)]),
  ];
}

function forwarded(context: SimulatorContext, reader: string, ts: string): Json {
  const { channel, message } = find(context, reader, ts);
  const { identity, state } = context;
  const author = personOf(identity, message.user)?.realName ?? identity.botName;
  const blocks =
    message.user === identity.botUserId ? blocksOf(message) : richText(message.text, ts.slice(-5));
  const files = (message.files ?? []).flatMap((id) => state.files.get(id)?.file ?? []);
  return {
    ts,
    author_id: message.user,
    channel_id: channel.id,
    channel_team: identity.teamId,
    is_msg_unfurl: true,
    is_share: true,
    message_blocks: [{ team: identity.teamId, channel: channel.id, ts, message: { blocks } }],
    ...(files.length > 0 ? { files: files.map((file) => fullFile(context, file, channel)) } : {}),
    id: 1,
    original_url: linkOf(channel, message),
    from_url: linkOf(channel, message),
    fallback: `[November 22nd, 2026 9:00 AM] ${author}: ${message.text}`,
    text: message.text,
    author_name: author,
    author_subname: author,
    mrkdwn_in: ['text'],
    footer: channel.kind === 'im' ? 'Direct Message' : 'Posted in a channel',
  };
}

const pasted = (rows: readonly (readonly string[])[]): Json => ({
  id: 1,
  fallback: '[no preview available]',
  blocks: [
    {
      type: 'table',
      block_id: 'table',
      rows: rows.map((row) => row.map((text) => ({ type: 'raw_text', text }))),
    },
  ],
});
