import type { StreamifyHandler } from 'aws-lambda';
import type { Writable } from 'node:stream';

/** A response whose body may still be written when it begins. */
export type StreamedResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<string>;
};

/**
 * Makes a handler of a function URL that streams. Lambda does not stop it when the client disconnects: then the body is written to its
 * end. Only the local system ends it.
 */
export const createStreamingHandler = (
  respond: (event: unknown) => Promise<StreamedResponse>,
): StreamifyHandler<unknown, void> =>
  awslambda.streamifyResponse(async (event, stream) => {
    const { status, headers, body } = await respond(event);
    const out = awslambda.HttpResponseStream.from(stream, { statusCode: status, headers });
    let isClosed = false;
    out.once('close', () => (isClosed = true));
    out.on('error', () => (isClosed = true));
    for await (const text of body) {
      if (isClosed) break;
      if (!out.write(text)) await drained(out);
    }
    out.end();
  });

/** Resolves when the buffer has room again, or the client has disconnected. */
const drained = (out: Writable): Promise<void> =>
  new Promise((resolve) => {
    out.once('drain', resolve);
    out.once('close', resolve);
    out.once('error', () => resolve());
  });
