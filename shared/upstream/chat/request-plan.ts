import type { CallOptions } from '../config.ts';
import { BadRequestError } from '../errors.ts';
import type { Client } from '../http/client.ts';
import { outputBudget } from '../models/budget.ts';
import { type Calibration, estimateRequest } from '../models/estimate.ts';
import { fitRequest, supportsRequest } from '../models/fit.ts';
import type { Model } from '../models/model.ts';
import type { Models } from '../models/models.ts';
import { buildLegacyBody } from './legacy-request.ts';
import { buildBody } from './request.ts';
import type { RequestPlan } from './stream.ts';
import type { ChatOptions, ChatRequest } from './types.ts';

/** The dependencies of a request plan. */
export type PlanContext = {
  readonly client: Client;
  readonly models: Models;
  readonly calibration: Calibration;
  readonly maxTokens: number;
  readonly fitToModel: boolean;
};

/**
 * Creates the plan for a request. With `fitToModel`, the plan leaves out what each model does not support, limits the
 * output to what the context leaves, and drops fallback models that cannot answer.
 */
export function createPlan(
  request: ChatRequest,
  stream: boolean,
  context: PlanContext,
  options: ChatOptions,
): RequestPlan {
  const { client, models, calibration, fitToModel } = context;
  const estimates = new Map<string, number>();
  const lookUpModel = async (id: string): Promise<Model | undefined> =>
    fitToModel ? findModel(models, id, options) : undefined;
  return {
    models: async () => {
      const chain = [request.model, ...(options.fallbackModels ?? [])];
      if (!fitToModel || chain.length === 1) return chain;
      const supported: string[] = [];
      for (const id of chain) {
        const model = await lookUpModel(id);
        if (model === undefined || supportsRequest(request, model)) supported.push(id);
      }
      return supported.length > 0 ? supported : chain;
    },
    bodyFor: async (id) => {
      const model = await lookUpModel(id);
      const fitted = model === undefined ? { request, omitted: [] } : fitRequest(request, model);
      const requestedTokens = request.maxTokens ?? context.maxTokens;
      const estimate = fitToModel ? estimateRequest(fitted.request) : 0;
      estimates.set(id, estimate);
      const maxTokens =
        model === undefined
          ? requestedTokens
          : getMaxTokens(model, requestedTokens, estimate * calibration.factor(id));
      const completeRequest = { ...fitted.request, model: id, maxTokens };
      const { body, omitted } =
        client.shape === 'legacy'
          ? buildLegacyBody(completeRequest, stream)
          : buildBody(completeRequest, stream);
      return { body, omitted: [...fitted.omitted, ...omitted] };
    },
    onCompletion: ({ model, usage }) => {
      // The served model's name may be longer than the requested one; estimates are stored by the requested name.
      const id = estimates.has(model) ? model : [...estimates.keys()].at(-1);
      if (id !== undefined && usage !== undefined)
        calibration.learn(id, estimates.get(id) ?? 0, usage.promptTokens);
    },
    onError: ({ kind }) => {
      if (kind === 'unknown-model') models.clearCache();
    },
  };
}

/** Returns undefined when the model list is unavailable: that must not prevent the chat request. */
async function findModel(models: Models, id: string, options: CallOptions): Promise<Model | undefined> {
  const { signal, deadline } = options;
  try {
    return await models.get(id, { signal, deadline });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return undefined;
  }
}

function getMaxTokens(model: Model, requestedTokens: number, promptTokens: number): number {
  const budget = outputBudget(requestedTokens, promptTokens, model);
  if (budget.kind === 'room') return budget.maxTokens;
  throw new BadRequestError(`The prompt is about ${budget.excess} tokens too long for ${model.id}.`, {
    code: 'context_length_exceeded',
    param: 'messages',
  });
}
