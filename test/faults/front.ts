import { channelId, messageId, userId, workspaceId } from '../../shared/conversation/index.ts';
import { receive, type ReceiveDeps } from '../../shared/flows/index.ts';

export async function front(envelope: string, deps: ReceiveDeps): Promise<number> {
  const { team_id, event } = JSON.parse(envelope);
  if (event.user === undefined || event.bot_id || event.subtype || !String(event.text).includes('<@'))
    return 200;
  await receive(
    {
      thread: {
        platform: 'slack',
        workspace: workspaceId(team_id),
        channel: channelId(event.channel),
        root: messageId(event.thread_ts ?? event.ts),
      },
      id: messageId(event.ts),
      author: userId(event.user),
      authorWorkspace: workspaceId(team_id),
      text: event.text.replace(/<@[^>]*>\s*/, ''),
      addressed: 'mention',
    },
    deps,
  );
  return 200;
}
