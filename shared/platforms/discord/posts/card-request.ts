import { type Card, listCardFiles, type MessageId } from '../../../domain/index.ts';
import { FileUnavailableError } from '../../ports/index.ts';
import type { DiscordRequest } from '../api/call.ts';
import { hasCode, isForbidden } from '../api/errors.ts';
import { getAttachmentName, CARD_FLAG, renderCard } from '../blocks/card-components.ts';
import { ERROR_CODES } from '../api/error-codes.ts';
import { NO_MENTIONS } from '../api/enums.ts';
import { createNonce } from '../api/nonce.ts';

type CardRequest = Required<Pick<DiscordRequest, 'body' | 'files'>>;

/** The request body of a card, with its files, which replace those of the existing message. */
export function createCardRequest(card: Card): CardRequest {
  const files = listCardFiles(card).map(({ name, mimetype: type, content }) => ({
    name: getAttachmentName(name),
    type,
    content,
  }));
  const attachments = files.map(({ name: filename }, id) => ({ id: String(id), filename }));
  return {
    body: {
      components: renderCard(card),
      flags: CARD_FLAG,
      allowed_mentions: NO_MENTIONS,
      ...(attachments.length > 0 && { attachments }),
    },
    files,
  };
}

/** Posts a card in a channel, or updates the existing one. Rejects with FileUnavailableError if the refusal may be due to its files. */
export async function sendCard(
  { body, files }: CardRequest,
  {
    path,
    key,
    existing,
  }: {
    readonly path: string;
    readonly key: string;
    readonly existing: MessageId | undefined;
  },
  send: (request: DiscordRequest) => Promise<MessageId>,
): Promise<MessageId> {
  try {
    return existing === undefined
      ? await send({ method: 'POST', path, body: { ...body, ...createNonce(key) }, files })
      : await send({ method: 'PATCH', path: `${path}/${existing}`, body, files });
  } catch (error) {
    const isDueToFiles = isForbidden(error) || hasCode(error, ERROR_CODES.RequestEntityTooLarge);
    throw files.length > 0 && isDueToFiles ? new FileUnavailableError(['files.upload.not-attached']) : error;
  }
}
