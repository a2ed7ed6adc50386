import express from 'express4'
import { describe } from 'vitest'
import { expressLogins } from './express-logins.js'

describe('Express 4 has the user of', () => expressLogins(express))
