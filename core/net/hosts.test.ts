import { describe, expect, it } from 'vitest';
import { bypassesProxy, isLoopback, proxiesLoopback } from './hosts.ts';

describe('bypassesProxy', () => {
  it.each([
    ['https://model.example/', '*'],
    ['https://model.example/', 'model.example'],
    ['https://MODEL.example./', 'Model.Example.'],
    ['https://api.model.example/', 'model.example'],
    ['https://api.model.example/', '.model.example'],
    ['https://model.example/', '.model.example'],
    ['https://api.model.example/', '*.model.example'],
    ['https://model.example/', 'other.example, model.example'],
    ['https://model.example/', 'other.example model.example'],
    ['https://model.example/', 'model.example:443'],
    ['http://model.example/', 'model.example:80'],
    ['https://model.example:8443/', 'model.example:8443'],
    ['https://10.1.2.3/', '10.1.2.3'],
    ['https://10.1.2.3/', '10.0.0.0/8'],
    ['https://10.1.2.3/', '10.1.2.3:443'],
    ['https://[fd00::1]/', 'fd00::1'],
    ['https://[fd00::1]/', '[fd00:0:0::1]'],
    ['https://[fd00::1]/', '[fd00::1]:443'],
    ['https://[fd00::1]/', 'fd00::/8'],
  ])('%s by %j', (url, noProxy) => {
    expect(bypassesProxy(new URL(url), noProxy)).toBe(true);
  });

  it.each([
    ['https://model.example/', ''],
    ['https://model.example/', ','],
    ['https://model.example/', '.'],
    ['https://model.example/', 'api.model.example'],
    ['https://mymodel.example/', 'model.example'],
    ['https://mymodel.example/', '.model.example'],
    ['https://model.example/', 'model.example:80'],
    ['https://model.example:8443/', 'model.example:443'],
    ['https://11.1.2.3/', '10.0.0.0/8'],
    ['https://10.1.2.3/', '2.3'],
    ['https://10.1.2.3/', '10.0.0.0/99'],
    ['https://10.1.2.3/', '10.0.0.0/'],
    ['https://10.1.2.3/', '10.1.2.3:80'],
    ['https://[fd00::1]/', 'fd00::2'],
    ['https://[fd00::1]/', '10.0.0.0/8'],
  ])('%s not by %j', (url, noProxy) => {
    expect(bypassesProxy(new URL(url), noProxy)).toBe(false);
  });
});

describe('isLoopback', () => {
  it.each([
    'http://localhost',
    'http://LOCALHOST.',
    'http://a.localhost',
    'http://127.0.0.1',
    'http://127.1',
    'http://127.9.9.9',
    'http://[::1]',
    'http://0.0.0.0',
    'http://[::]',
    'http://[::ffff:127.0.0.1]',
  ])('%s is', (url) => {
    expect(isLoopback(new URL(url).hostname)).toBe(true);
  });

  it.each([
    'http://localhost.example',
    'http://128.0.0.1',
    'http://10.0.0.1',
    'http://[fd00::1]',
    'http://127.0.0.1.example',
  ])('%s is not', (url) => {
    expect(isLoopback(new URL(url).hostname)).toBe(false);
  });
});

it('asks the proxy for loopback hosts by <-loopback> alone', () => {
  expect(proxiesLoopback('model.example,<-loopback>')).toBe(true);
  expect(proxiesLoopback('localhost,*')).toBe(false);
});
