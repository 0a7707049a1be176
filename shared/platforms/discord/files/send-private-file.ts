import type { MessageId } from '../../../domain/index.ts';
import type { InteractionResponder } from '../../ports/index.ts';
import type { DiscordRequest } from '../api/call.ts';
import type { DiscordDeps } from '../deps.ts';
import { EPHEMERAL } from '../inbound/responses.ts';
import { NO_PREVIEWS } from '../api/enums.ts';
import { collect, MAX_UPLOAD_BYTES, uploadBody } from './upload.ts';
import { createNonce } from '../api/nonce.ts';

/** Sends a file to the person who used an interaction: as an ephemeral follow-up while the token is valid, then as a direct message. */
export function sendPrivateFile({
  time,
  applicationId,
  sendForId,
}: Pick<DiscordDeps, 'time' | 'applicationId'> & {
  readonly sendForId: (request: DiscordRequest) => Promise<MessageId>;
}): InteractionResponder['sendFilePrivately'] {
  return async ({ responseToken, tokenExpiresAtMs, by }, file, key) => {
    const content = await collect(file, MAX_UPLOAD_BYTES);
    const files = [{ name: file.name, type: file.mimetype, content }];
    const body = uploadBody(file);
    if (time.now() < tokenExpiresAtMs) {
      const path = `/webhooks/${applicationId}/${responseToken}?wait=true`;
      await sendForId({
        method: 'POST',
        path,
        body: { ...body, flags: EPHEMERAL | NO_PREVIEWS },
        files,
        byInteractionToken: true,
      });
      return;
    }
    const chat = await sendForId({
      method: 'POST',
      path: '/users/@me/channels',
      body: { recipient_id: by.user },
    });
    await sendForId({
      method: 'POST',
      path: `/channels/${chat}/messages`,
      body: { ...body, ...createNonce(key) },
      files,
    });
  };
}
