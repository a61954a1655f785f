import { describe, expect, it } from 'vitest';
import { modelTargets } from './targets.ts';

describe('modelTargets', () => {
  it('takes addresses and keys from the provider', () => {
    expect(modelTargets({ provider: 'ollama', model: 'm' }, {})[0]).toMatchObject({
      provider: 'local',
      baseUrl: 'http://localhost:11434/v1',
      apiKey: undefined,
    });
    expect(modelTargets({ provider: 'glm', model: 'm' }, { ZAI_API_KEY: 'k' })[0]).toMatchObject({
      provider: 'zai',
      baseUrl: 'https://api.z.ai/api/paas/v4',
      apiKey: 'k',
    });
  });

  it.each(['OWN', '$OWN', '${OWN}'])('takes the key that api_key_name %s names', (api_key_name) => {
    expect(modelTargets({ provider: 'local', model: 'm', api_key_name }, { OWN: 'k' })[0]?.apiKey).toBe('k');
  });

  it("lets an entry's settings win over the shared ones", () => {
    const model = [
      { provider: 'local', name: 'a', temperature: 0 },
      { provider: 'local', name: 'b' },
    ];
    const targets = modelTargets({ model, temperature: 1, base_url: 'http://localhost:1' }, {});
    expect(targets.map(({ temperature, baseUrl }) => [temperature, baseUrl])).toEqual([
      [0, 'http://localhost:1'],
      [1, 'http://localhost:1'],
    ]);
  });

  it.each([
    ['openai', 'https://api.openai.com/v1', 'OPENAI_API_KEY'],
    ['anthropic', 'https://api.anthropic.com', 'ANTHROPIC_API_KEY'],
    ['gemini', 'https://generativelanguage.googleapis.com/v1beta', 'GOOGLE_API_KEY'],
    ['google', 'https://generativelanguage.googleapis.com/v1beta', 'GOOGLE_API_KEY'],
    ['openrouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'],
    ['zai', 'https://api.z.ai/api/paas/v4', 'ZAI_API_KEY'],
    ['opencode', 'https://opencode.ai/zen/go/v1', 'OPENCODE_API_KEY'],
  ])('knows provider %s', (provider, baseUrl, variable) => {
    expect(modelTargets({ provider, model: 'm' }, { [variable]: 'k' })).toMatchObject([{ baseUrl, apiKey: 'k' }]);
    expect(() => modelTargets({ provider, model: 'm' }, {})).toThrow(`set the environment variable ${variable}`);
  });

  const elsewhere = 'http://localhost:8080/v1';

  it("keeps the provider's own key from any other address", () => {
    const llm = { provider: 'openai', model: 'm', base_url: elsewhere };
    expect(() => modelTargets(llm, { OPENAI_API_KEY: 'k' })).toThrow(
      `base_url "${elsewhere}" is not the address of provider "openai", and the key in OPENAI_API_KEY goes there alone: name the variable with the key for this address in api_key_name, or use provider "local" where it needs none`,
    );
    expect(modelTargets({ ...llm, api_key_name: 'OWN' }, { OPENAI_API_KEY: 'k', OWN: 'mine' })[0]?.apiKey).toBe('mine');
    const own = { ...llm, base_url: 'https://api.openai.com/other' };
    expect(modelTargets(own, { OPENAI_API_KEY: 'k' })[0]?.apiKey).toBe('k');
  });

  it('keeps it, too, where an entry has another address than the block', () => {
    const model = [{ provider: 'anthropic', name: 'a', base_url: elsewhere }];
    expect(() => modelTargets({ model }, { ANTHROPIC_API_KEY: 'k' })).toThrow('goes there alone');
  });

  it('passes thinking and web_search on where they are enabled', () => {
    const llm = { provider: 'anthropic', model: 'm' };
    const env = { ANTHROPIC_API_KEY: 'k' };
    const on = { ...llm, thinking: { enabled: true, effort: 'low' as const }, web_search: { enabled: true } };
    expect(modelTargets(on, env)[0]).toMatchObject({ thinking: { effort: 'low' }, webSearch: { enabled: true } });
    const off = { ...llm, thinking: { effort: 'low' as const }, web_search: { max_uses: 1 } };
    expect(modelTargets(off, env)[0]).not.toHaveProperty('thinking');
    expect(modelTargets(off, env)[0]).not.toHaveProperty('webSearch');
  });

  it.each([
    [
      { provider: 'local', model: 'm', web_search: { enabled: true } },
      'provider "local" cannot search the web; remove web_search',
    ],
    [{ provider: 'openai', model: 'm' }, 'set the environment variable OPENAI_API_KEY'],
    [{ provider: 'nobody', model: 'm' }, 'invalid provider: nobody'],
    [{ provider: '', model: 'm' }, 'resolved to an empty value'],
    [{ provider: 'local', model: 'm', base_url: '${params.URL}' }, 'must be an address'],
  ])('refuses %j', (llm, message) => {
    expect(() => modelTargets(llm, {})).toThrow(message);
  });
});
