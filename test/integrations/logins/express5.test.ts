import express from 'express'
import { describe } from 'vitest'
import { expressLogins } from './express-logins.js'

describe('Express 5 has the user of', () => expressLogins(express))
