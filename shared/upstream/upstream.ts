import { type Chat, createChat } from './chat/chat.ts';
import type { UpstreamConfig } from './config.ts';
import { createClient } from './http/client.ts';
import { createModels, type Models } from './models/models.ts';
import { createSpeech, type Speech } from './speech/speech.ts';
import { createVision, type Vision } from './vision/vision.ts';
import { createMemoryWindows } from './vision/request-windows.ts';

export type Upstream = {
  readonly chat: Chat;
  readonly models: Models;
  readonly speech: Speech;
  readonly vision: Vision;
  /** Closes the connection pool. Pending requests fail. */
  readonly close: () => Promise<void>;
};

/**
 * Creates a client with one connection pool. Create it once per process and reuse it. Throws a TypeError when a URL is
 * invalid.
 */
export function createUpstream(config: UpstreamConfig): Upstream {
  const client = createClient(config);
  const models = createModels(client);
  const windows = config.windows ?? createMemoryWindows(config.time.now);
  return {
    chat: createChat(client, models, config),
    models,
    speech: createSpeech(client),
    vision: createVision(client, { windows, jobOrigins: config.jobOrigins, paths: config.visionPaths }),
    close: () => client.agent.destroy(),
  };
}
