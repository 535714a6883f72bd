//! The manager: the real component of this study.

use crate::{Account, Collection, ETag, IfMatch, RowError, Variant};

/// A manager of accounts, all of whose state is in its store.
#[derive(Debug)]
pub struct AccountManager<C> {
    variant: Variant,
    accounts: C,
}

impl<C: Collection> AccountManager<C> {
    /// A manager of the accounts in this store.
    pub fn new(variant: Variant, accounts: C) -> AccountManager<C> {
        AccountManager { variant, accounts }
    }

    /// Creates an account. False if there is one of this name.
    pub async fn create(&self, name: &str, account: Account) -> Result<bool, RowError> {
        if self.variant == Variant::ChecksThenActs {
            if self.accounts.exists(name).await {
                return Ok(false);
            }
            self.accounts.create(name, account).await?;
            return Ok(true);
        }
        match self.accounts.create(name, account).await {
            Err(RowError::AlreadyExists) => Ok(false),
            created => created.map(|()| true),
        }
    }

    /// The account of this name.
    pub async fn get(&self, name: &str) -> Result<Option<Account>, RowError> {
        let found = self.find(name).await?;
        Ok(found.map(|(account, _)| account))
    }

    /// Updates an account. False if there is none of this name, or one of this version or a later one.
    pub async fn update(&self, name: &str, account: Account) -> Result<bool, RowError> {
        // In production there would be a pause between two attempts.
        loop {
            let Some((current, state)) = self.find(name).await? else {
                return Ok(false);
            };
            if current.version >= account.version {
                return Ok(false);
            }
            let state = match self.variant {
                Variant::IgnoresETags => IfMatch::Any,
                Variant::Mended | Variant::ChecksThenActs => IfMatch::ETag(state),
            };
            match self.accounts.update(name, account.clone(), state).await {
                Err(RowError::ETagMismatch) => {}
                Err(RowError::NotFound) => return Ok(false),
                updated => return updated.map(|()| true),
            }
        }
    }

    /// Deletes an account. False if there is none of this name.
    pub async fn delete(&self, name: &str) -> Result<bool, RowError> {
        if self.variant == Variant::ChecksThenActs {
            if !self.accounts.exists(name).await {
                return Ok(false);
            }
            self.accounts.delete(name).await?;
            return Ok(true);
        }
        match self.accounts.delete(name).await {
            Err(RowError::NotFound) => Ok(false),
            deleted => deleted.map(|()| true),
        }
    }

    async fn find(&self, name: &str) -> Result<Option<(Account, ETag)>, RowError> {
        match self.accounts.get(name).await {
            Err(RowError::NotFound) => Ok(None),
            found => found.map(Some),
        }
    }
}
